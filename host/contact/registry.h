/** @file Contact laws by name. */
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "host/contact/laws.h"

namespace intervox::host {

/** Laws of one kind by name. */
template <class Law>
using LawRegistry =
    std::map<std::string, std::function<std::unique_ptr<const Law>(Parameters& parameters)>>;

/** The registry of one kind of law; holds the built-in ones from the start. Register before scenes
 are read: the registry itself is not guarded against concurrent changes. */
LawRegistry<NormalLaw>& NormalLaws();
/** @copydoc NormalLaws */
LawRegistry<FrictionLaw>& FrictionLaws();
/** @copydoc NormalLaws */
LawRegistry<RollingLaw>& RollingLaws();
/** @copydoc NormalLaws */
LawRegistry<SpinningLaw>& SpinningLaws();

/** Makes the class `T`, whose constructor takes Parameters&, known as `name`. */
template <class T, class Law>
bool Register(LawRegistry<Law>& registry, const std::string& name) {
  registry[name] = [](Parameters& p) -> std::unique_ptr<const Law> {
    return std::make_unique<T>(p);
  };
  return true;
}

}  // namespace intervox::host
