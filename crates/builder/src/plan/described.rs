//! Lua scripts that carry out the declarations of tools that distributions do not package, and write a makefile.
//!
//! They run in the box: the declarations are a program of the project's.

/// What both scripts share: patterns of files, and the makefile.
macro_rules! shared {
    ($before:literal) => {
        concat!(
            r#"local top, script = arg[1], arg[2]
local targets, order = {}, {}
local function quote(s) return "'" .. tostring(s):gsub("'", "'\\''") .. "'" end
local function glob(dir, pattern)
  local recursive = pattern:find("%*%*") ~= nil
  local found = {}
  if not pattern:find("[%*|]") then return { dir .. "/" .. pattern } end
  local base = pattern:match("^(.-)[^/]*%*.*$") or ""
  local tail = pattern:match("([^/]*)$"):gsub("^%*%*", "*")
  local depth = recursive and "" or " -maxdepth 1"
  local pipe = io.popen("find " .. quote(dir .. "/" .. base) .. depth .. " -type f -name " .. quote(tail) .. " 2>/dev/null | sort")
  for line in pipe:lines() do found[#found + 1] = (line:gsub("//+", "/")) end
  pipe:close()
  return found
end
local function flat(value, out)
  out = out or {}
  if type(value) == "table" then for _, one in ipairs(value) do flat(one, out) end
  elseif value ~= nil then out[#out + 1] = tostring(value) end
  return out
end
local function target(name)
  if not targets[name] then
    targets[name] = { name = name, kind = "program", files = {}, without = {}, flags = {}, links = {}, dir = top }
    order[#order + 1] = name
  end
  return targets[name]
end
local function add(list, values) for _, value in ipairs(values) do list[#list + 1] = value end end
-- A name that is not known here is a setting that does not matter: calling it, or a field of it, does nothing.
local quiet
quiet = setmetatable({}, { __index = function(_, key) if type(key) == "string" then return quiet end end, __call = function() return quiet end,
  __concat = function(a, b) return (a == quiet and "" or a) .. (b == quiet and "" or b) end })
setmetatable(_G, { __index = function() return quiet end })
local write
local function run()
  local chunk, problem = loadfile(top .. "/" .. script)
  local ok = chunk ~= nil
  if chunk then ok, problem = pcall(chunk) end
  -- What was declared before the script stumbled is built.
  if not ok then io.stderr:write("warning: " .. tostring(problem) .. "\n") end
  write()
end
function write()
  local rules, all = {}, {}
  for _, name in ipairs(order) do
    local t = targets[name]
    local without, objects, cxx = {}, {}, false
    for _, file in ipairs(t.without) do without[file] = true end
    for _, file in ipairs(t.files) do
      local ending = file:match("%.([%w+]+)$") or ""
      local c = ending == "c" or ending == "S" or ending == "s"
      local plus = ending == "cpp" or ending == "cc" or ending == "cxx" or ending == "C"
      if (c or plus) and not without[file] and not file:find(" ") then
        cxx = cxx or plus
        local object = ".objects/" .. name .. "/" .. file:sub(#top + 2):gsub("[^%w_.-]", "_") .. ".o"
        objects[#objects + 1] = object
        rules[#rules + 1] = object .. ": " .. file .. "\n\t@mkdir -p .objects/" .. name .. "\n\t" .. (plus and "$(CXX) $(CXXFLAGS)" or "$(CC) $(CFLAGS)")
          .. " -fPIC " .. table.concat(t.flags, " ") .. " -c $< -o $@\n"
      end
    end
    local links, needs = {}, {}
    local function follow(list, seen)
      for _, link in ipairs(list) do
        local other = targets[link]
        if other and not seen[link] then
          seen[link] = true
          if other.kind == "archive" then needs[#needs + 1] = "lib" .. link .. ".a"; links[#links + 1] = "lib" .. link .. ".a"
          elseif other.kind == "shared" then needs[#needs + 1] = "lib" .. link .. ".so"; links[#links + 1] = "-L. -l" .. link .. " '-Wl,-rpath,$$ORIGIN'" end
          follow(other.links, seen)
        elseif not other and not seen[link] then
          seen[link] = true
          links[#links + 1] = link:sub(1, 1) == "-" and link or "-l" .. link
        end
      end
    end
    follow(t.links, {})
    local file = t.kind == "archive" and "lib" .. name .. ".a" or t.kind == "shared" and "lib" .. name .. ".so" or name
    if #objects > 0 and t.kind ~= "none" then
      all[#all + 1] = file
      local words = table.concat(objects, " ")
      local linker = cxx and "$(CXX)" or "$(CC)"
      for _, need in ipairs(needs) do if targets[need:match("^lib(.-)%.%a+$")] then cxx = true end end
      if cxx then linker = "$(CXX)" end
      rules[#rules + 1] = file .. ": " .. words .. " " .. table.concat(needs, " ") .. "\n\t"
        .. (t.kind == "archive" and "ar rcs $@ " .. words or linker .. " -g " .. (t.kind == "shared" and "-shared " or "") .. words .. " -o $@ "
        .. table.concat(links, " ") .. " $(LIBRARIES)") .. "\n"
    end
  end
  io.write("all: " .. table.concat(all, " ") .. "\n" .. table.concat(rules))
end
"#,
            $before
        )
    };
}

/// Premake 4 and 5.
pub(super) const PREMAKE: &str = shared!(
    r#"local scopes, current, active = { all = {} }, nil, true
local common = { flags = {}, links = {} }
local function here() return current or common end
local function onsystem(words)
  for _, word in ipairs(words) do
    word = tostring(word):lower()
    local bad = word:find("windows") or word:find("macosx") or word:find("vs20") or word:find("release") or word:find("mingw")
      or word:find("xcode") or word:find("msc") or word:find("emscripten") or word:find("android") or word:find("ios") or word:find("bsd") or word:find("dist")
    if bad and not word:find("not ") and not word:find(" or ") then return false end
    if word:find("not linux") or word:find("not system:linux") or word:find("not gmake") then return false end
  end
  return true
end
function workspace(name) active = true; current = nil; return quiet end
solution = workspace
function project(name)
  active = true
  if name == nil then return current end
  current = target(name)
  add(current.flags, common.flags); add(current.links, common.links)
  current.dir = DIR
end
function filter(words) active = onsystem(flat(words)) end
configuration = filter
function kind(value)
  if not active or not current then return end
  current.kind = ({ StaticLib = "archive", SharedLib = "shared", None = "none", Utility = "none", Makefile = "none" })[value] or "program"
end
function files(list)
  if not active or not current then return end
  for _, pattern in ipairs(flat(list)) do add(current.files, glob(DIR, pattern)) end
end
function removefiles(list)
  if not active or not current then return end
  for _, pattern in ipairs(flat(list)) do add(current.without, glob(DIR, pattern)) end
end
excludes = removefiles
function includedirs(list)
  if not active then return end
  for _, dir in ipairs(flat(list)) do
    add(here().flags, { "-I" .. quote((dir:sub(1, 1) == "/" or dir:sub(1, 1) == "%") and dir or DIR .. "/" .. dir) })
  end
end
externalincludedirs, sysincludedirs = includedirs, includedirs
function defines(list) if active then for _, word in ipairs(flat(list)) do add(here().flags, { (("-D" .. quote(word)):gsub("%$", "$$$$")) }) end end end
function buildoptions(list) if active then for _, word in ipairs(flat(list)) do add(here().flags, { word }) end end end
function linkoptions(list) if active then for _, word in ipairs(flat(list)) do add(here().links, { word:sub(1, 1) == "-" and word or nil }) end end end
function links(list) if active then add(here().links, flat(list)) end end
function cppdialect(word) if active then add(here().flags, { "$(if $(filter %.c,$<),,-std=" .. word:lower():gsub("default", "gnu++17"):gsub("latest", "20") .. ")" }) end end
function cdialect(word) if active then add(here().flags, { "$(if $(filter %.c,$<),-std=" .. word:lower():gsub("default", "gnu17") .. ",)" }) end end
DIR = top
function include(path)
  local saved = DIR
  local file = DIR .. "/" .. path
  local probe = io.open(file .. "/premake5.lua") or io.open(file .. "/premake4.lua")
  if probe then probe:close(); local five = io.open(file .. "/premake5.lua"); DIR = file; file = file .. (five and "/premake5.lua" or "/premake4.lua"); if five then five:close() end
  else DIR = file:match("^(.*)/[^/]*$") or DIR end
  local chunk = loadfile(file)
  if chunk then chunk() end
  DIR = saved
end
dofile = include
_OPTIONS, _ARGS, _ACTION, _TARGET_OS = {}, {}, "gmake", "linux"
os.is = function(word) return word == "linux" end
os.istarget, os.target, os.host, os.get = os.is, function() return "linux" end, function() return "linux" end, function() return "linux" end
os.isfile = function(path) local f = io.open(DIR .. "/" .. path); if f then f:close() end; return f ~= nil end
os.isdir, os.findlib, os.getversion, os.outputof = os.isfile, function() return nil end, function() return {} end, function() return "" end
os.matchfiles = function(pattern) return glob(DIR, pattern) end
os.mkdir, os.copyfile = function() end, function() end
path = setmetatable({ join = function(a, ...) local all = { a, ... }; return table.concat(all, "/") end, getabsolute = function(p) return DIR .. "/" .. p end,
  getdirectory = function(p) return p:match("^(.*)/[^/]*$") or "." end, getbasename = function(p) return (p:match("([^/]*)$"):gsub("%.[^.]*$", "")) end },
  { __index = function() return function(p) return p end end })
table.contains = function(list, value) for _, one in ipairs(list) do if one == value then return true end end; return false end
table.insertflat = function(list, value) add(list, flat(value)) end
table.join = function(...) return flat({ ... }) end
string.startswith = function(s, p) return s:sub(1, #p) == p end
string.endswith = function(s, p) return s:sub(-#p) == p end
run()
"#
);

/// xmake.
pub(super) const XMAKE: &str = shared!(
    r#"local current
local common = { flags = {}, links = {} }
local function here() return current or common end
local function words(...) local out = {}; for _, word in ipairs({ ... }) do if type(word) == "string" then out[#out + 1] = word
  elseif type(word) == "table" and word[1] then add(out, flat(word)) end end; return out end
local function begin(name)
  if not targets[name] then
    targets[name] = { name = name, kind = "program", files = {}, without = {}, flags = {}, links = {}, dir = DIR }
    order[#order + 1] = name
    add(targets[name].flags, common.flags); add(targets[name].links, common.links)
  end
  current = targets[name]
end
_G.target = function(name, body) begin(name); if type(body) == "function" then body(); current = nil end end
function target_end() current = nil end
function option() current = { flags = {}, links = {}, files = {}, without = {} } end
option_end, rule, rule_end, task, task_end, toolchain, toolchain_end, package, package_end =
  target_end, option, target_end, option, target_end, option, target_end, option, target_end
function set_kind(value) here().kind = ({ static = "archive", shared = "shared", binary = "program", object = "none", phony = "none", headeronly = "none" })[value] or "program" end
function set_basename(value) end
function add_files(...) if current and current.name then for _, pattern in ipairs(words(...)) do
  local _, bar = pattern:find("|", 1, true)
  local plain, skip = bar and pattern:sub(1, bar - 1) or pattern, bar and pattern:sub(bar + 1)
  for _, file in ipairs(glob(DIR, plain)) do if not (skip and file:sub(-#skip) == skip) then add(current.files, { file }) end end end end end
function remove_files(...) if current and current.name then for _, pattern in ipairs(words(...)) do add(current.without, glob(DIR, pattern)) end end end
del_files = remove_files
local function includes_of(...) for _, dir in ipairs(words(...)) do if not dir:find("%$%(") then add(here().flags, { "-I" .. quote(dir:sub(1, 1) == "/" and dir or DIR .. "/" .. dir) }) end end end
add_includedirs, add_sysincludedirs, add_headerdirs = includes_of, includes_of, includes_of
function add_defines(...) for _, word in ipairs(words(...)) do add(here().flags, { (("-D" .. quote(word)):gsub("%$", "$$$$")) }) end end
function add_cflags(...) add(here().flags, {}) end
function add_cxflags(...) for _, word in ipairs(words(...)) do if word:sub(1, 1) == "-" then add(here().flags, { word }) end end end
function add_links(...) add(here().links, words(...)) end
function add_syslinks(...) add(here().links, words(...)) end
function add_deps(...) add(here().links, words(...)) end
function add_ldflags(...) for _, word in ipairs(words(...)) do if word:sub(1, 2) == "-l" then add(here().links, { word }) end end end
local pkgs = {}
function add_packages(...) for _, word in ipairs(words(...)) do
  local pipe = io.popen("pkg-config --cflags " .. quote(word) .. " 2>/dev/null"); local cflags = pipe:read("a"):gsub("%s+$", ""); pipe:close()
  pipe = io.popen("pkg-config --libs " .. quote(word) .. " 2>/dev/null"); local libs = pipe:read("a"):gsub("%s+$", ""); pipe:close()
  if cflags ~= "" then add(here().flags, { cflags }) end
  add(here().links, { libs ~= "" and libs or "-l" .. word }) end end
function set_languages(...) for _, word in ipairs(words(...)) do local w = word:lower()
  if w:find("++", 1, true) or w:find("xx") or w:find("cpp") then add(here().flags, { "$(if $(filter %.c,$<),,-std=" .. w:gsub("cxx", "c++"):gsub("cpp", "c++"):gsub("latest", "20") .. ")" })
  else add(here().flags, { "$(if $(filter %.c,$<),-std=" .. w:gsub("latest", "17") .. ",)" }) end end end
set_language = set_languages
function is_plat(...) for _, word in ipairs(words(...)) do if word == "linux" then return true end end; return false end
is_os, is_host = is_plat, is_plat
function is_arch(...) return false end
function is_mode(...) for _, word in ipairs(words(...)) do if word == "debug" then return true end end; return false end
function is_kind(value) return value == "static" end
function has_config() return false end
function get_config() return nil end
DIR = top
function includes(...) for _, path in ipairs(words(...)) do
  for _, name in ipairs(path:find("%*") and glob(DIR, path) or { DIR .. "/" .. path }) do
    local saved, kept = DIR, current
    local file = name
    local probe = io.open(name .. "/xmake.lua")
    if probe then probe:close(); file = name .. "/xmake.lua" end
    DIR = file:match("^(.*)/[^/]*$") or DIR; current = nil
    local chunk = loadfile(file)
    if chunk then chunk() end
    DIR, current = saved, kept
  end end end
run()
"#
);
