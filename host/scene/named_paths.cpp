#include "host/scene/named_paths.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "host/input/nearest.h"
#include "host/scene/keys.h"

namespace intervox::host {

std::optional<UnknownThing> FindUnknownThing(const Value& document, const std::string& path) {
  const std::size_t dot = path.find('.');
  if (dot == std::string::npos) return {};
  const std::string section = path.substr(0, dot);
  const auto& keys = ObjectNamed("scene").keys;
  const auto key =
      std::find_if(keys.begin(), keys.end(), [&](const Key& k) { return k.name == section; });
  if (key == keys.end() || (key->type != Type::kNamed && key->type != Type::kShapesMap)) return {};
  const Value* named = document.Find(section);
  std::vector<std::string> names;
  if (named != nullptr) {
    for (const Entry& e : named->entries) names.push_back(e.key);
  }
  const std::string rest = path.substr(dot + 1);
  const bool known = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return rest.starts_with(name) &&
           (rest.size() == name.size() || rest[name.size()] == '.' || rest[name.size()] == '[');
  });
  if (known) return {};
  const std::string name = rest.substr(0, rest.find_first_of(".["));
  return UnknownThing{"the scene has no '" + name + "' in " + section, Suggest(name, names)};
}

void ApplySceneOverride(const std::string& override_text, Value& document) {
  const std::string path = override_text.substr(0, override_text.find('='));
  const std::size_t dot = path.find('.');
  const bool leads_into =
      dot != std::string::npos && path.find_first_of(".[", dot + 1) != std::string::npos;
  if (leads_into) {
    if (const auto unknown = FindUnknownThing(document, path)) {
      Value here;
      here.file = std::make_shared<const std::string>("--set " + override_text);
      const std::string thing = path.substr(0, path.find_first_of(".[", dot + 1));
      Fail(here, thing, unknown->what,
           unknown->suggestion + " A new one is given whole: --set '" + thing + "={…}'.");
    }
  }
  ApplyOverride(override_text, document);
}

}  // namespace intervox::host
