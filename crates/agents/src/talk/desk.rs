//! The desk that an agent with a model works at: one box, one model, one choice of tools, and what may be spent.

use std::{
    mem,
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

use seatrial_core::{
    BOX_SOURCE, Budget, Ending, Event, Message, Recipe, Role, SinkError, Submission, ToolCall, ToolRecord,
};
use seatrial_llm::{Bounds, CallContext, Completion, EmbeddingModel, Meter, Model, ModelError, Request, ToolSpec};
use seatrial_tools::{
    Answer, CacheRule, Ground, GuardRule, PackageRebuilds, PageSource, Tool, ToolLimits, ToolState, Toolbox,
    ToolsError, WebSearcher, World,
};

use super::{
    AgentOptions, AgentSettings, Condenser, Conversation, Guard, Nudge, Prompt, models,
    script::{Script, ScriptEnd},
};
use crate::{
    AgentError, SolveContext,
    repair::{BoxPackage, hand_in},
};

/// What a model hears that says something and does nothing.
pub(crate) const NUDGE: Prompt = Prompt::new("nudge", include_str!("../../prompts/nudge.md"));

/// Why an agent's work came to an end before it said so.
#[derive(Debug)]
pub(crate) enum Halt {
    /// A bound was reached, or it went in circles.
    Ended(Ending, String),
    /// The model did not answer.
    Model(ModelError),
    /// The machinery broke.
    Broken(AgentError),
}

impl From<AgentError> for Halt {
    fn from(error: AgentError) -> Self {
        Self::Broken(error)
    }
}

impl From<SinkError> for Halt {
    fn from(error: SinkError) -> Self {
        Self::Broken(error.into())
    }
}

/// What a model answered, with the tools that it called done.
pub(crate) struct Asked {
    pub(crate) message: Message,
    /// Whether it called a tool.
    pub(crate) acted: bool,
}

/// The desk.
pub(crate) struct Desk<'d, 'c> {
    pub(crate) context: &'d mut SolveContext<'c>,
    pub(crate) model: Arc<dyn Model>,
    pub(crate) options: AgentOptions,
    pub(crate) state: ToolState,
    tools: Toolbox,
    meter: Meter,
    stop: Arc<AtomicBool>,
    condenser: Condenser,
    guard: Guard,
    script: Script,
    pages: Option<Arc<dyn PageSource>>,
    searcher: Option<Arc<dyn WebSearcher>>,
    /// Longest time of one command, beside the task's own limit.
    pub(crate) longest_command: Option<Duration>,
    /// The package, when the task is to repair one.
    pub(crate) package: Option<BoxPackage<'c>>,
}

impl<'d, 'c> Desk<'d, 'c> {
    /// A desk for one trial.
    pub(crate) fn new(
        context: &'d mut SolveContext<'c>,
        settings: &AgentSettings,
        agent: &'static str,
        tools: Toolbox,
    ) -> Result<Self, AgentError> {
        let model = Arc::clone(models(settings, agent)?);
        let bounds = bounds(&context.task.budget, settings);
        let stop = context.sandbox.stopper();
        Ok(Self {
            model,
            options: settings.options.clone(),
            // The guard of the conversation tells a model that it goes in circles; the tools need not.
            state: ToolState::with_rules(CacheRule::Described, GuardRule::Off),
            tools,
            meter: Meter::within(bounds, settings.run_meter.clone()).labelled(context.task.id.to_string()),
            stop,
            condenser: Condenser::new(settings.options.condenser),
            guard: Guard::default(),
            script: Script::default(),
            pages: settings.pages.clone(),
            searcher: settings.searcher.clone(),
            longest_command: None,
            package: BoxPackage::of(context)?,
            context,
        })
    }

    /// The same with a search of the web among the tools, where somebody provides one.
    pub(crate) fn with_search(mut self) -> Result<Self, AgentError> {
        if self.searcher.is_some() {
            let search = Toolbox::of(["web_search"]).map_err(AgentError::Tool)?;
            if let Some(tool) = search.get("web_search") {
                self.tools = self.tools.with(Arc::clone(tool));
            }
        }
        Ok(self)
    }

    /// The same with further tools.
    pub(crate) fn with_tools(mut self, tools: &[Arc<dyn Tool>]) -> Self {
        self.tools = tools.iter().fold(self.tools, |all, tool| all.with(Arc::clone(tool)));
        self
    }

    /// Whether a tool is at the desk.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.tools.get(name).is_some()
    }

    /// Tells the journal which prompts are used.
    pub(crate) fn note_prompts(&mut self, prompts: &[&Prompt]) -> Result<(), Halt> {
        let marks: Vec<String> = prompts.iter().map(|prompt| prompt.mark()).collect();
        self.context.events.emit(Event::Note {
            text: format!("prompts: {}", marks.join(", ")),
        })?;
        Ok(())
    }

    /// Says something in a conversation.
    pub(crate) fn say(&mut self, talk: &mut Conversation, message: Message) -> Result<(), Halt> {
        Ok(talk.say(self.context.events, message)?)
    }

    /// A request with a conversation so far and some of the desk's tools.
    pub(crate) fn request_with(&self, talk: &Conversation, is_offered: &dyn Fn(&str) -> bool) -> Request {
        let tools = self
            .tools
            .specs()
            .filter(|spec| is_offered(&spec.name))
            .map(|spec| ToolSpec {
                name: spec.name.clone(),
                description: spec.description(),
                parameters: spec.parameters.clone(),
            })
            .collect();
        Request::new(talk.messages()).with_tools(tools)
    }

    /// Asks the main model once; its answer joins the conversation.
    pub(crate) fn ask_once(&mut self, talk: &mut Conversation, request: Request) -> Result<Completion, Halt> {
        let model = Arc::clone(&self.model);
        self.ask_model(&*model, talk, request)
    }

    /// Asks a model once; its answer joins the conversation.
    pub(crate) fn ask_model(
        &mut self,
        model: &dyn Model,
        talk: &mut Conversation,
        mut request: Request,
    ) -> Result<Completion, Halt> {
        request.temperature = self.options.temperature;
        self.ask_sampled(model, talk, request)
    }

    /// The same at the request's own temperature.
    pub(crate) fn ask_sampled(
        &mut self,
        model: &dyn Model,
        talk: &mut Conversation,
        mut request: Request,
    ) -> Result<Completion, Halt> {
        request.max_output = request.max_output.or(self.options.max_output);
        let mut call = CallContext {
            deadline: self.context.deadline,
            blobs: Some(self.context.blobs),
            events: Some(self.context.events),
            ..CallContext::new(talk.name(), &self.meter, &self.stop)
        };
        let completion = model.complete(&request, &mut call).map_err(Halt::Model)?;
        talk.say(self.context.events, completion.message.clone())?;
        Ok(completion)
    }

    /// Asks the main model with all tools, condensing the conversation when it does not fit, and does what it asks for.
    pub(crate) fn turn(&mut self, talk: &mut Conversation) -> Result<Asked, Halt> {
        let completion = self.ask(talk, &|_| true)?;
        let calls: Vec<ToolCall> = completion.message.tool_calls().cloned().collect();
        for call in &calls {
            self.use_tool(talk, call)?;
            if self.state.finished().is_some() {
                break;
            }
        }
        if calls.is_empty() {
            self.spoke()?;
        }
        Ok(Asked {
            message: completion.message,
            acted: !calls.is_empty(),
        })
    }

    /// Asks the main model with some of the tools, condensing the conversation when it does not fit.
    pub(crate) fn ask(
        &mut self,
        talk: &mut Conversation,
        is_offered: &dyn Fn(&str) -> bool,
    ) -> Result<Completion, Halt> {
        if self.condenser.is_due(talk) {
            self.condense(talk)?;
        }
        loop {
            let request = self.request_with(talk, is_offered);
            match self.ask_once(talk, request) {
                Err(Halt::Model(ModelError::ContextFull { .. })) if self.condense(talk)? => {}
                answer => return answer,
            }
        }
    }

    /// Vectors of texts; each request joins the journal.
    pub(crate) fn embed(
        &mut self,
        model: &dyn EmbeddingModel,
        conversation: &str,
        texts: &[String],
    ) -> Result<Vec<Vec<f32>>, ModelError> {
        let mut call = CallContext {
            deadline: self.context.deadline,
            blobs: Some(self.context.blobs),
            events: Some(self.context.events),
            ..CallContext::new(conversation, &self.meter, &self.stop)
        };
        model.embed(texts, &mut call)
    }

    /// Turn after turn, until the model says that it is done; an answer that uses no tool is the end too, or a reason to say
    /// that nobody else is here.
    pub(crate) fn work(&mut self, talk: &mut Conversation, silence_ends: bool) -> Result<(Ending, String), Halt> {
        loop {
            let asked = self.turn(talk)?;
            if let Some(finished) = self.state.finished() {
                let by = if finished.succeeded {
                    Ending::Finished
                } else {
                    Ending::GaveUp
                };
                return Ok((by, finished.message.clone()));
            }
            if asked.acted {
                continue;
            }
            if silence_ends {
                return Ok((Ending::Finished, asked.message.plain_text()));
            }
            self.say(talk, Message::text(Role::User, NUDGE.fill(&[])))?;
        }
    }

    /// Takes the middle out of a conversation; false when nothing can be taken out.
    fn condense(&mut self, talk: &mut Conversation) -> Result<bool, Halt> {
        if let Nudge::Stop(why) = self.guard.condensed() {
            return Err(Halt::Ended(Ending::Stuck, why));
        }
        let condenser = self.condenser;
        condenser.condense(self, talk)
    }

    /// Puts a summary in the place of a part of a conversation.
    pub(crate) fn note_condensed(
        &mut self,
        talk: &mut Conversation,
        range: [usize; 2],
        summary: String,
    ) -> Result<(), Halt> {
        Ok(talk.replace(self.context.events, range, summary)?)
    }

    /// Does what a call asks for; the answer joins the conversation.
    pub(crate) fn use_tool(&mut self, talk: &mut Conversation, call: &ToolCall) -> Result<Answer, Halt> {
        self.count_tool_call()?;
        let answer = self.call(talk.name(), call)?;
        self.answered(talk, call, &answer)?;
        Ok(answer)
    }

    /// Counts a use of a tool, which may be one too many.
    pub(crate) fn count_tool_call(&mut self) -> Result<(), Halt> {
        self.meter.count_tool_call().map_err(|(by, why)| Halt::Ended(by, why))
    }

    /// Puts a tool's answer into the conversation.
    pub(crate) fn answered(&mut self, talk: &mut Conversation, call: &ToolCall, answer: &Answer) -> Result<(), Halt> {
        let mut text = answer.text.clone();
        let nudge = self
            .guard
            .acted(&call.name, &call.arguments, &answer.text, answer.failed);
        if let Nudge::Tell(why) = &nudge {
            text = format!("{text}\n[You are going in circles: {why}. Try another way, or finish.]");
        }
        talk.say(self.context.events, Message::tool_result(&call.id, text, answer.failed))?;
        if let Nudge::Stop(why) = nudge {
            return Err(Halt::Ended(Ending::Stuck, why));
        }
        Ok(())
    }

    /// Answers a call of a tool that is at this desk, but not for whoever calls.
    pub(crate) fn refused(&mut self, talk: &mut Conversation, call: &ToolCall, offered: &[&str]) -> Result<(), Halt> {
        self.count_tool_call()?;
        let name: String = call.name.trim().chars().take(80).collect();
        let answer = Answer::failure(format!("there is no tool `{name}`; there are {}", offered.join(", ")));
        self.note_call(talk, call, &answer, Instant::now())?;
        self.answered(talk, call, &answer)
    }

    /// Tells the journal of a call that the desk's tools did not do.
    pub(crate) fn note_call(
        &mut self,
        talk: &Conversation,
        call: &ToolCall,
        answer: &Answer,
        start: Instant,
    ) -> Result<(), Halt> {
        Ok(self.context.events.emit(Event::ToolCalled(ToolRecord {
            conversation: talk.name().to_owned(),
            id: call.id.clone(),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
            failed: answer.failed,
            cached: false,
            left_out_bytes: 0,
            whole: None,
            wall_ms: start.elapsed().as_millis() as u64,
        }))?)
    }

    /// The model spoke and did nothing, which may be one time too many.
    pub(crate) fn spoke(&mut self) -> Result<(), Halt> {
        match self.guard.spoke() {
            Nudge::Stop(why) => Err(Halt::Ended(Ending::Stuck, why)),
            Nudge::None | Nudge::Tell(_) => Ok(()),
        }
    }

    /// Commands that failed are handed in too, up to the last that succeeded: what they did is part of what was judged.
    pub(crate) fn keep_failures(&mut self) {
        self.script.keep_failures();
    }

    /// A script ran that no tool ran.
    pub(crate) fn ran_script(&mut self, script: &str, end: ScriptEnd) {
        self.script.ran(script, end);
    }

    /// Makes a call with the desk's tools and takes down what it did.
    pub(crate) fn call(&mut self, conversation: &str, call: &ToolCall) -> Result<Answer, Halt> {
        let limits = ToolLimits {
            command_most: self.longest(),
            command: self.longest_command.unwrap_or(ToolLimits::default().command),
            ..ToolLimits::default()
        };
        let mut world = World {
            sandbox: self.context.sandbox,
            root: BOX_SOURCE,
            resolver: self.context.resolver,
            blobs: self.context.blobs,
            events: self.context.events,
            deadline: self.context.deadline,
            limits,
            stop: &self.stop,
            watch: Some(self.context.output),
            state: &mut self.state,
            ground: Ground {
                platform: Some(&self.context.task.platform),
                base_packages: self.context.base_packages,
                pages: self.pages.as_deref(),
                searcher: self.searcher.as_deref(),
                solution: Some(&self.context.task.source),
                rebuilds: self.package.as_ref().map(|package| package as &dyn PackageRebuilds),
            },
        };
        let answer = self.tools.call(conversation, call, &mut world).map_err(tools_broke)?;
        self.script.take(call, &answer, self.context.sandbox);
        Ok(answer)
    }

    /// The longest time that a command may take.
    pub(crate) fn longest(&self) -> Duration {
        let own = crate::steps::limit(self.context).unwrap_or(ToolLimits::default().command_most);
        self.longest_command.map_or(own, |most| most.min(own))
    }

    /// Sets the variables that a recipe sets in the shell that stays, so that a replay finds what the agent found.
    pub(crate) fn set_up_shell(&mut self) -> Result<(), Halt> {
        let call = ToolCall {
            id: "setup".to_owned(),
            name: "shell".to_owned(),
            arguments: serde_json::json!({ "command": format!("{}cd \"$SRC\"", Recipe::preamble()) }).to_string(),
        };
        let script = mem::take(&mut self.script);
        self.call("setup", &call)?;
        // The script has these lines already.
        self.script = script;
        Ok(())
    }

    /// Ends the work and hands in: the agent's own script when there is one, else what its tools did.
    pub(crate) fn hand_in(
        self,
        end: Result<(Ending, String), Halt>,
        own_script: Option<String>,
    ) -> Result<Submission, AgentError> {
        let (by, why) = match end {
            Ok(end) => end,
            Err(Halt::Ended(by, why)) => (by, why),
            Err(Halt::Model(error)) => match error.ending() {
                None => return Err(AgentError::Interrupted),
                Some(by) => {
                    let text = error.to_string();
                    let broken = error.invalid_reason().is_some();
                    self.context.events.emit(Event::Ended { by, why: text.clone() })?;
                    if broken {
                        return Err(AgentError::Model(error));
                    }
                    return self.submission(&format!("ended: {text}"), own_script);
                }
            },
            Err(Halt::Broken(error)) => return Err(error),
        };
        self.context.events.emit(Event::Ended { by, why: why.clone() })?;
        self.submission(&why, own_script)
    }

    fn submission(self, why: &str, own_script: Option<String>) -> Result<Submission, AgentError> {
        if let Some(package) = &self.package {
            // What was proved is handed in, and not what was edited afterwards.
            let (patch, how) = match self.state.repair().proved() {
                Some(proved) => crate::repair::difference(&proved.package, package.pristine()),
                None => hand_in(self.context, Some(package.pristine()))?,
            };
            return Ok(Submission {
                patch,
                note: format!("{why}; {how}"),
                ..Submission::default()
            });
        }
        let composed = (!self.script.is_empty()).then(|| self.script.text(&self.context.task.source.to_string()));
        let how = match (&own_script, &composed) {
            (Some(_), _) => "the script is the agent's own".to_owned(),
            (None, Some(_)) if self.script.gaps().is_empty() => "the script is what its tools did".to_owned(),
            (None, Some(_)) => format!(
                "the script is what its tools did, without {}",
                self.script.gaps().join(", ")
            ),
            (None, None) => "nothing was done".to_owned(),
        };
        Ok(Submission {
            script: own_script.or(composed),
            note: format!("{why}; {how}"),
            ..Submission::default()
        })
    }
}

/// The tighter one of each bound; turns are never without one.
fn bounds(budget: &Budget, settings: &AgentSettings) -> Bounds {
    let (of_task, own) = (Bounds::from(budget), settings.bounds);
    let tighter = |one: Option<u64>, other: Option<u64>| match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    };
    Bounds {
        steps: tighter(of_task.steps, own.steps).or(Some(u64::from(settings.options.turns))),
        tool_calls: tighter(of_task.tool_calls, own.tool_calls),
        tokens: tighter(of_task.tokens, own.tokens),
        cost_micros: tighter(of_task.cost_micros, own.cost_micros),
    }
}

fn tools_broke(error: ToolsError) -> Halt {
    Halt::Broken(error.into())
}
