# Usage: probe.py PROJECT ANSWER MODULE...: imports each module, and asks each console script of the project for help.
import os
import subprocess
import sys


def works(argv, seconds):
    try:
        done = subprocess.run(argv, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=seconds)
        return done.returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def tools(project):
    # What is installed from the project's folder, editable or not, says so in its direct_url.json.
    try:
        from importlib import metadata
    except ImportError:
        return
    for distribution in metadata.distributions():
        try:
            url = distribution.read_text("direct_url.json") or ""
        except Exception:
            continue
        if "file://" + project in url:
            for entry in distribution.entry_points:
                if entry.group == "console_scripts":
                    yield os.path.join(os.path.dirname(sys.executable), entry.name)


project, answer, modules = sys.argv[1], sys.argv[2], sys.argv[3:]
environment = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), project, os.path.join(project, "src")]))
os.environ["PYTHONPATH"] = environment
imports = sum(works([sys.executable, "-c", "import " + module], 60) for module in modules)
asked = sorted(set(tools(project)))
helpful = sum(works([tool, "--help"], 20) for tool in asked)
with open(answer, "w") as file:
    file.write("imports %d\ntools %d\ntools_asked %d\n" % (imports, helpful, len(asked)))
