#!/usr/bin/python3
"""Every public symbol in a header has a doc comment, and every header a @file comment.

Symbols are types, functions, aliases, constants, enumerators' types and macros at namespace scope, and
public members that are types or functions. Exempt: data members of a documented struct (its comment or
their own ///< covers them), destructors, copies, moves, overrides, defaulted and deleted functions,
constructors without a named parameter, members defined outside their class, friends, forward
declarations, and what stands in a namespace called internal.
Usage: doc_comments.py [TREE]"""

import re

import sources

ROOMS = ("geometry", "cuda", "integrators", "host", "python", "intervox.h")
TYPE = re.compile(r"\b(class|struct|union|enum(?:\s+class)?)\s+(?:alignas\([^)]*\)\s*)?([A-Za-z_]\w*)")


class Scope:
    """One open brace: what kind of block it is, and whether its contents are public."""

    def __init__(self, kind, public, name=""):
        self.kind, self.public, self.name = kind, public, name


def tokens(text):
    """(kind, text, offset) for doc comments, comments, preprocessor lines, strings, and characters."""
    pattern = (r"(?P<doc>/\*\*.*?\*/|///(?!<)[^\n]*)|(?P<comment>//[^\n]*|/\*.*?\*/)"
               r"|(?P<macro>^[ \t]*#(?:[^\n\\]|\\\n|\\.)*)|(?P<string>\"(?:\\.|[^\"\\])*\""
               r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\])+')|(?P<code>.|\n)")
    for match in re.finditer(pattern, text, flags=re.S | re.M):
        yield match.lastgroup, match.group(0), match.start()


def symbol(declaration, scope):
    """What a declaration declares that needs a comment, or None."""
    d = re.sub(r"\s+", " ", declaration).strip()
    d = re.sub(r"\[\[[^\]]*\]\]", "", d)
    while re.match(r"^(public|private|protected)\s*:(?!:)\s*", d):
        d = re.sub(r"^(public|private|protected)\s*:(?!:)\s*", "", d)
    if not d or d.startswith(("using namespace", "friend", "static_assert", "}", "extern template")):
        return None
    template = re.match(r"^template\s*<", d)
    body = d
    if template:
        depth, i = 0, d.index("<")
        while i < len(d):
            depth += (d[i] == "<") - (d[i] == ">")
            i += 1
            if depth == 0:
                break
        body = d[i:].strip()
        if body.startswith("<"):
            return None
    kind = TYPE.match(body)
    if kind:
        return f"{kind.group(1)} {kind.group(2)}"
    alias = re.match(r"^using\s+(\w+)\s*=", body)
    if alias:
        return f"alias {alias.group(1)}"
    if re.search(r"=\s*(default|delete)\b", body) or re.search(r"\boverride\b", body):
        return None
    call = re.search(r"(operator\s*(?:\(\)|\[\]|[^\s(\w]+|\w+)|~?[A-Za-z_]\w*)\s*\(", body)
    # A call before any `=` is a function; after one it is an initialiser.
    if call and "=" not in re.sub(r"operator\s*[^\s(\w]+", "", body[: call.start() + 1]):
        name = call.group(1)
        if name.startswith("~") or name in ("decltype", "noexcept", "alignas", "if", "for", "while"):
            return None
        if scope.kind == "class" and name == scope.name and re.search(
                r"\(\s*(const\s+)?" + re.escape(scope.name) + r"\s*&&?\s*\w*\s*\)", body):
            return None
        if name.startswith("operator=") and not name.startswith("operator=="):
            return None
        if body[: call.start(1)].rstrip().endswith("::"):
            return None  # a member defined outside its class: documented there
        if scope.kind == "class" and name == scope.name and re.search(
                r"\(\s*(const\s+)?[\w:]+\s*[&*]*\s*\)", body):
            return None  # a constructor that uses nothing of what it is given
        return f"function {name}"
    if scope.kind == "namespace" and re.match(r"^(inline|constexpr|const|extern|static)\b", body):
        name = re.search(r"(\w+)\s*(\[[^\]]*\]\s*)*(=|\{|;|$)", body)
        return f"constant {name.group(1)}" if name else None
    return None


def check_file(path, base):
    text = path.read_text()
    where = path.relative_to(base)
    problems = []
    if not re.match(r"\s*/\*\*\s*@file\b", text):
        problems.append(f"{where}:1: the header must start with /** @file … */")
    stack = [Scope("namespace", True)]
    pending, start, documented, parentheses = "", 0, False, 0
    declared = set()  # documented at an earlier declaration in this file

    def finish(position):
        nonlocal pending, documented
        scope = stack[-1]
        if scope.kind in ("namespace", "class") and scope.public:
            what = symbol(pending, scope)
            end = text.find("\n", position)
            trailing = text[position:end].lstrip(" ;").startswith("///<")
            forward = pending.strip().endswith(";") and re.match(
                r"^\s*(template\s*<[^>]*>\s*)?(class|struct|enum(\s+class)?)\s+\w+\s*(:\s*[\w:]+\s*)?;$",
                pending)
            if (documented or trailing) and what:
                declared.add(what)
            elif what and what not in declared and not forward:
                line = text.count("\n", 0, start) + 1
                problems.append(f"{where}:{line}: {what} has no doc comment (/** … */ before it)")
        pending, documented = "", False

    for kind, token, offset in tokens(text):
        if kind == "doc":
            if not pending.strip():
                documented = "@file" not in token
            continue
        if kind == "comment":
            if token.startswith("///<") and not pending.strip():
                continue
            continue
        if kind == "macro":
            name = re.match(r"\s*#\s*define\s+(\w+)", token)
            if name and not documented and not name.group(1).endswith("_H_"):
                line = text.count("\n", 0, offset) + 1
                problems.append(f"{where}:{line}: macro {name.group(1)} has no doc comment")
            if name:
                documented = False
            continue
        if not pending.strip():
            start = offset if token.strip() else start
        if token == "(":
            parentheses += 1
        elif token == ")":
            parentheses -= 1
        if token == "{" and parentheses == 0:
            scope = stack[-1]
            head = re.sub(r"\s+", " ", pending).strip()
            head = re.sub(r"^((public|private|protected)\s*:(?!:)\s*)+", "", head)
            plain = re.sub(r"^template\s*<.*?>\s*(?=class|struct)", "", head)
            block = None
            if re.match(r"^(inline )?namespace\b", head):
                hidden = "internal" in head or head in ("namespace", "inline namespace")
                block = Scope("namespace", scope.public and not hidden)
            elif re.match(r"^extern\b", head) and "(" not in head:
                block = Scope("namespace", scope.public)
            elif TYPE.match(plain) and "(" not in re.sub(r"alignas\([^)]*\)", "", plain):
                match = TYPE.match(plain)
                finish(offset)
                if match.group(1).startswith("enum"):
                    block = Scope("body", False)
                else:
                    is_public = scope.public and scope.kind != "body"
                    block = Scope("class", is_public and match.group(1) != "class", match.group(2))
                    block.outer = is_public
            if block is None:
                # A function body, or an initialiser that a semicolon will end.
                is_initialiser = scope.kind != "body" and "(" not in re.sub(
                    r"^template\s*<.*?>", "", head)
                if not is_initialiser:
                    finish(offset)
                block = Scope("initialiser" if is_initialiser else "body", False)
                stack.append(block)
                if is_initialiser:
                    pending += "{"
                continue
            pending, documented = "", False
            stack.append(block)
            continue
        if token == "}" and parentheses == 0:
            closed = stack.pop() if len(stack) > 1 else stack[-1]
            if closed.kind == "initialiser":
                pending += "}"
            elif closed.kind == "body":
                pending = "" if stack[-1].kind != "initialiser" else pending
            else:
                pending = ""
            continue
        if stack[-1].kind in ("body", "initialiser"):
            continue
        if token == ";" and parentheses == 0:
            pending += ";"
            finish(offset)
            continue
        if token == ":" and stack[-1].kind == "class":
            access = re.match(r"^\s*(public|private|protected)\s*$", pending)
            if access:
                stack[-1].public = access.group(1) == "public" and stack[-1].outer
                pending, documented = "", False
                continue
        pending += token
    return problems


def check(base):
    problems = []
    for path in sources.files(base, ROOMS, {".h"}):
        problems += check_file(path, base)
    return problems


sources.report(check(sources.root()), "doc comments")
