/** @file Options of commands that look at samples of a results file. */
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/render/film.h"

namespace intervox::cli {

/** Throws the error of a bad option: "command line: OPTION: WHAT (VALUE). REMEDY".
 @throws host::InputError always. */
[[noreturn]] void RefuseOption(const std::string& option, const std::string& what,
                               const std::string& value, const std::string& remedy);

/** Splits KEY=VALUE or BODY:VALUE. @throws host::InputError for another form. */
std::pair<std::string, std::string> SplitOption(const std::string& option, const std::string& text,
                                                char at, const std::string& form);

/** A finite number of a command line's option. @throws host::InputError for anything else. */
double NumberOf(const std::string& option, const std::string& text);

/** Finite numbers with commas between them. @throws host::InputError for anything else. */
std::vector<double> NumbersOf(const std::string& option, const std::string& text);

/** The samples that `--frames` names, ascending and each once: every=SECONDS, at=T,T,…, count=N
 (spread evenly, the first and the last among them), all or last.
 @throws host::InputError for anything else. */
std::set<int> ChooseSamples(const host::Film& film, const std::string& frames);

}  // namespace intervox::cli
