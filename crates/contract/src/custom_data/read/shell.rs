//! Boothooks and other scripts: the files they write, what they start, what they fetch.
//!
//! Nothing is run and control flow is not followed: each thing that the script may do is found once.

use std::collections::{HashMap, HashSet};

use slipway_model::Secret;

use super::words::{Token, Variables, assignment, tokens};
use super::{Download, File, Place, Search, What};
use crate::codec::mask_url;

/// Words before a command that are not part of it.
const PREFIXES: &[&str] = &["if", "then", "else", "elif", "do", "while", "!", "{", "exec", "command", "sudo"];

/// How `base64` is told to decode, and `gzip` to unpack.
const DECODES: &[&str] = &["-d", "-D", "-di", "--decode"];
const UNPACKS: &[&str] = &["-d", "-dc", "-cd", "--decompress"];

#[derive(Default)]
struct Script {
    variables: Variables,
    /// Functions that write their input to a file: name and path, `$1` standing for the argument.
    writers: HashMap<String, String>,
    /// Functions that run their arguments in the background.
    runners: HashSet<String>,
    files: Vec<Written>,
    modes: HashMap<String, u32>,
    starts: Vec<String>,
    downloads: Vec<Fetched>,
    seen: HashSet<String>,
}

struct Written {
    path: String,
    body: String,
    base64: bool,
    gzip: bool,
}

struct Fetched {
    url: String,
    output: Option<String>,
}

impl Search {
    /// Reads a script.
    pub(super) fn script(&mut self, text: &str, place: &Place) {
        let mut script = Script::default();
        script.lines(text);
        let Script { variables, mut modes, files, starts, downloads, .. } = script;
        for Written { path, body, base64, gzip } in files {
            let place_of_file = place.inside(&path);
            let mut content = Ok(body.into_bytes());
            if base64 {
                content = content.and_then(|body| self.budget.required_base64(&body));
            }
            if gzip {
                content = content.and_then(|body| self.budget.gunzip(&body));
            }
            match content {
                Ok(content) => {
                    let mode = modes.remove(&path);
                    self.file(File { path, mode, content: Secret::new(content) }, place);
                }
                Err(problem) => self.note(place_of_file.error(problem)),
            }
        }
        let is_hash =
            |value: &&String| value.len() == 64 && value.bytes().all(|byte| byte.is_ascii_hexdigit());
        let sha256 = variables.values().find(is_hash).cloned();
        for Fetched { url, output } in downloads {
            let path = output.filter(|path| !path.contains('$'));
            self.add(place, What::Download(Download { url: mask_url(&url), sha256: sha256.clone(), path }));
        }
        for start in starts {
            self.add(place, What::Start(start));
        }
    }
}

impl Script {
    fn lines(&mut self, text: &str) {
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let mut line = line.to_owned();
            while line.ends_with('\\')
                && let Some(next) = lines.next()
            {
                line.pop();
                line.push_str(next);
            }
            let tokens = tokens(&line, &mut self.variables);
            let mut body = None;
            if let Some((delimiter, tabs)) = heredoc(&tokens) {
                let mut content = String::new();
                for line in lines.by_ref() {
                    let line = if tabs { line.trim_start_matches('\t') } else { line };
                    if line == delimiter {
                        break;
                    }
                    content.push_str(line);
                    content.push('\n');
                }
                body = Some(content);
            }
            self.line(&tokens, body);
        }
    }

    fn line(&mut self, tokens: &[Token], body: Option<String>) {
        if let [Token::Word(name), open, close, rest @ ..] = tokens
            && open.is("(")
            && close.is(")")
            && rest.len() > 1
        {
            self.function(name, rest);
            return;
        }
        let mut text = body;
        let mut target = None;
        let (mut base64, mut gzip) = (false, false);
        for command in tokens.split(is_separator) {
            target = redirection(command).or(target);
            let words = words(command);
            let Some((name, arguments)) = words.split_first() else { continue };
            match base_name(name) {
                "base64" => base64 |= arguments.iter().any(|word| DECODES.contains(word)),
                "gunzip" | "zcat" => gzip = true,
                "gzip" => gzip |= arguments.iter().any(|word| UNPACKS.contains(word)),
                "echo" | "printf" if text.is_none() => text = arguments.last().map(ToString::to_string),
                "tee" => {
                    target = arguments.iter().find(|word| !word.starts_with('-')).map(ToString::to_string)
                }
                _ => {
                    if let (Some(template), Some(argument)) = (self.writers.get(*name), arguments.first()) {
                        target = Some(template.replace("$1", argument));
                        self.modes.insert(template.replace("$1", argument), 0o600);
                    } else {
                        self.command(name, arguments);
                    }
                }
            }
        }
        if let (Some(path), Some(body)) = (target, text)
            && path.starts_with('/')
            && !path.starts_with("/dev/")
        {
            self.files.push(Written { path, body, base64, gzip });
        }
    }

    /// A function on one line: one that moves what it has written into place, or one that runs things.
    fn function(&mut self, name: &str, body: &[Token]) {
        for command in body.split(is_separator) {
            let words = words(command);
            match words.as_slice() {
                ["mv", .., path] => {
                    self.writers.insert(name.to_owned(), (*path).to_owned());
                }
                ["nohup", "$@", ..] => {
                    self.runners.insert(name.to_owned());
                }
                _ => {}
            }
        }
    }

    fn command(&mut self, name: &str, arguments: &[&str]) {
        match base_name(name) {
            "nohup" | "setsid" => self.start(&arguments.join(" ")),
            "systemctl" => {
                let mut words = arguments.iter().filter(|word| !word.starts_with('-'));
                let verb = words.next().copied();
                if matches!(verb, Some("start" | "restart"))
                    || verb == Some("enable") && arguments.contains(&"--now")
                {
                    words.for_each(|unit| self.start(unit));
                }
            }
            "chmod" => {
                if let [mode, paths @ ..] = arguments
                    && let Ok(mode) = u32::from_str_radix(mode, 8)
                {
                    self.modes.extend(paths.iter().map(|path| ((*path).to_owned(), mode)));
                }
            }
            "mv" => {
                if let [.., from, to] = arguments
                    && let Some(fetched) = self.downloads.last_mut()
                    && fetched.output.as_deref() == Some(*from)
                {
                    fetched.output = Some((*to).to_owned());
                }
            }
            "curl" | "wget" => self.download(arguments),
            _ if self.runners.contains(name) => self.start(&arguments.join(" ")),
            _ if name.starts_with("/opt/") => self.start(&[&[name], arguments].concat().join(" ")),
            _ => {
                if let Some((name, value)) = assignment(name) {
                    self.variables.set(name, value);
                }
            }
        }
    }

    fn start(&mut self, what: &str) {
        if !what.is_empty() && !what.contains("$@") && self.seen.insert(what.to_owned()) {
            self.starts.push(what.to_owned());
        }
    }

    fn download(&mut self, arguments: &[&str]) {
        let is_url = |word: &&&str| word.starts_with("http://") || word.starts_with("https://");
        let Some(url) = arguments.iter().find(is_url) else { return };
        if self.seen.insert((*url).to_owned()) {
            let option = arguments.iter().position(|word| matches!(*word, "-o" | "-O" | "--output"));
            let output = option.and_then(|at| arguments.get(at + 1)).map(|word| (*word).to_owned());
            self.downloads.push(Fetched { url: (*url).to_owned(), output });
        }
    }
}

/// The word that ends a heredoc that starts on this line, and whether tabs before lines are dropped.
fn heredoc(tokens: &[Token]) -> Option<(&str, bool)> {
    let at = tokens.iter().position(|token| token.is("<<") || token.is("<<-"))?;
    Some((tokens.get(at + 1)?.word()?, tokens[at].is("<<-")))
}

/// The file that a command's output goes to.
fn redirection(command: &[Token]) -> Option<String> {
    let at = command.iter().position(|token| token.is(">") || token.is(">>"))?;
    command.get(at + 1)?.word().map(str::to_owned)
}

/// A command's words, without redirections and what stands before commands.
fn words(command: &[Token]) -> Vec<&str> {
    let mut words = Vec::new();
    let mut redirected = false;
    for token in command {
        match token {
            Token::Operator(_) => redirected = true,
            Token::Word(_) if redirected => redirected = false,
            Token::Word(word) if words.is_empty() && PREFIXES.contains(&word.as_str()) => {}
            Token::Word(word) => words.push(word.as_str()),
        }
    }
    words
}

fn is_separator(token: &Token) -> bool {
    ["|", "||", "&&", ";", "&", "(", ")", "\n"].iter().any(|operator| token.is(operator))
}

fn base_name(command: &str) -> &str {
    command.rsplit('/').next().unwrap_or(command)
}
