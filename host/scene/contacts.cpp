#include "host/scene/contacts.h"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "host/contact/contact_model.h"
#include "host/input/error.h"
#include "host/input/nearest.h"

namespace intervox::host {
namespace {

const Material& MaterialOf(const Scene& scene, const BodySettings& body) {
  constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
  static const Material none{kAbsent, kAbsent, kAbsent, 0.0, kAbsent, kAbsent};
  return body.material.empty() ? none : scene.materials.at(body.material);
}

/** The model of two bodies: the first contact that names them, or "default". */
std::string ModelOf(const Scene& scene, const std::string& a, const std::string& b) {
  const auto fits = [](const std::string& pattern, const std::string& name) {
    return pattern == "*" || pattern == name;
  };
  for (const ContactSettings& contact : scene.contacts) {
    const auto& [x, y] = contact.bodies;
    if ((fits(x, a) && fits(y, b)) || (fits(x, b) && fits(y, a))) return contact.model;
  }
  return scene.contacts.empty() ? "default" : "none";
}

/** Throws a law's complaint, "normal.restitution: …", at its place in the file. */
[[noreturn]] void FailInModel(const Library& library, const Scene& scene, const std::string& model,
                              const std::string& message) {
  const std::string key = message.substr(0, message.find(':'));
  const std::string part = key.substr(0, key.find('.'));
  std::string place = scene.path.string();
  library.ForEach("contact_models", [&](const Cursor& c, const std::string& name) {
    if (name != model) return;
    const Value* value = &c.value();
    for (const std::string& step : {part, key.substr(std::min(part.size() + 1, key.size()))}) {
      if (const Value* child = value->Find(step); child != nullptr) value = child;
    }
    place = *value->file + ":" + std::to_string(value->line);
  });
  throw InputError(place + ": contact_models." + model + "." + message);
}

ContactSettings ReadContact(const Cursor& c, const Scene& scene) {
  const Cursor bodies = c.At("bodies");
  if (bodies.Count() != 2) bodies.Fail("a contact has two bodies", "Name two.");
  ContactSettings contact;
  contact.bodies = {bodies.Item(0).String(), bodies.Item(1).String()};
  contact.model = c.At("model").String();
  RequireBody(bodies.Item(0), contact.bodies.first, "*", scene);
  RequireBody(bodies.Item(1), contact.bodies.second, "*", scene);
  if (contact.bodies.first == contact.bodies.second && contact.bodies.first != "*") {
    bodies.Fail("a body does not touch itself", "Name two bodies.");
  }
  if (contact.model != "none" && !scene.contact_models.contains(contact.model)) {
    c.At("model").Fail("no contact model is named '" + contact.model + "'",
                       Suggest(contact.model, Names(scene.contact_models)));
  }
  const auto same = [&](const ContactSettings& other) {
    const auto& [x, y] = other.bodies;
    return contact.bodies == other.bodies || contact.bodies == std::pair(y, x);
  };
  if (std::any_of(scene.contacts.begin(), scene.contacts.end(), same)) {
    bodies.Fail("a contact of these two bodies stands above already", "Remove one of them.");
  }
  return contact;
}

}  // namespace

void RequireBody(const Cursor& cursor, const std::string& name, const std::string& also,
                 const Scene& scene) {
  if (name == also) return;
  std::vector<std::string> names;
  for (const BodySettings& body : scene.bodies) {
    if (body.name == name) return;
    names.push_back(body.name);
  }
  cursor.Fail("no body is named '" + name + "'", Suggest(name, names));
}

void ReadContacts(const Cursor& root, Scene* scene) {
  if (!root.Has("contacts")) return;
  const Cursor list = root.At("contacts");
  for (int i = 0; i < list.Count(); ++i) {
    scene->contacts.push_back(ReadContact(list.Item(i), *scene));
  }
}

void CheckModels(const Library& library, Scene* scene) {
  std::set<std::tuple<std::string, std::string, std::string>> met;
  for (std::size_t i = 0; i < scene->bodies.size(); ++i) {
    for (std::size_t j = i + 1; j < scene->bodies.size(); ++j) {
      const BodySettings& a = scene->bodies[i];
      const BodySettings& b = scene->bodies[j];
      const std::string model = ModelOf(*scene, a.name, b.name);
      const auto settings = scene->contact_models.find(model);
      if (settings == scene->contact_models.end()) continue;
      if (!met.insert({model, a.material, b.material}).second) continue;
      try {
        const auto made =
            MakeContactModel(settings->second, MaterialOf(*scene, a), MaterialOf(*scene, b));
        const std::string prefix = "contact_models." + model + ".";
        for (const std::string& warning : made->warnings) {
          scene->warnings.push_back(prefix);
          scene->warnings.back() += warning;
        }
      } catch (const InputError& error) {
        FailInModel(library, *scene, model, error.what());
      }
    }
  }
}

}  // namespace intervox::host
