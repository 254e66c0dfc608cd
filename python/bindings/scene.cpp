#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "host/input/error.h"
#include "host/scene/pairs.h"
#include "host/scene/reader.h"
#include "host/scene/scene.h"
#include "python/bindings/bindings.h"
#include "python/bindings/shape.h"

namespace intervox::python {
namespace {

Solid MakeSolid(std::string name, geometry::ShapePtr shape) {
  try {
    nb::gil_scoped_release release;
    auto cells = std::make_shared<const std::vector<geometry::Cell>>(geometry::ToCells(*shape));
    return {std::move(name), std::move(shape), std::move(cells)};
  } catch (const std::invalid_argument& error) {
    throw host::InputError(error.what());
  }
}

nb::dict SolidsOf(const PairsFile& file) {
  nb::dict solids;
  for (const auto& [name, shape] : file.shapes) {
    solids[nb::str(name.c_str())] = nb::cast(MakeSolid(name, shape));
  }
  return solids;
}

template <class T>
std::vector<std::string> NamesOf(const std::vector<T>& things) {
  std::vector<std::string> names;
  names.reserve(things.size());
  for (const T& thing : things) names.push_back(thing.name);
  return names;
}

std::string Joined(const std::vector<std::string>& words) {
  constexpr std::size_t kShown = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(words.size(), kShown); ++i) {
    text += (i > 0 ? ", " : "") + words[i];
  }
  return words.size() > kShown ? text + ", ..." : text;
}

}  // namespace

void BindScene(nb::module_& m) {
  nb::class_<Solid>(m, "Shape",
                    "A solid in its own frame [m], cut into cells once. Make it with "
                    "intervox.shape(...) or intervox.load_shapes(...).")
      .def_ro("name", &Solid::name, "Its name in its file; 'shape' where it has none.")
      .def_prop_ro(
          "cells", [](const Solid& solid) { return solid.cells->size(); },
          "The number of disjoint cells that it is made of.")
      .def("__repr__", [](const Solid& solid) {
        return fmt::format("<intervox.Shape '{}', {} cell{}>", solid.name, solid.cells->size(),
                           solid.cells->size() == 1 ? "" : "s");
      });
  m.def(
      "_parse_shape",
      [](const std::string& text, const std::string& path) {
        return MakeSolid("shape", ParseShape(text, path));
      },
      "text"_a, "path"_a);
  m.def(
      "_load_shapes", [](const std::string& path) { return SolidsOf(LoadPairs(path)); }, "path"_a,
      nb::sig("def _load_shapes(path: str) -> dict[str, Shape]"));

  nb::class_<Scene>(m, "Scene",
                    "A scene as its text says it, SI units. Make it with intervox.load_scene(path) "
                    "or intervox.parse_scene(text or dict).")
      .def_ro("name", &Scene::name, "Its title.")
      .def_ro("duration", &Scene::duration, "Simulated time at which it is done [s].")
      .def_prop_ro(
          "step", [](const Scene& scene) { return scene.integrator.step; }, "Time step [s].")
      .def_prop_ro(
          "gravity", [](const Scene& scene) { return Array(scene.gravity); },
          nb::sig("def gravity(self) -> FloatArray"), "Gravity [m/s^2], shape (3,).")
      .def_prop_ro(
          "bodies", [](const Scene& scene) { return NamesOf(scene.bodies); },
          "Names of the bodies, in order.")
      .def_prop_ro(
          "sensors", [](const Scene& scene) { return NamesOf(scene.sensors); },
          "Names of the sensors, in order.")
      .def_prop_ro(
          "joints", [](const Scene& scene) { return NamesOf(scene.joints); },
          "Names of the joints, in order.")
      .def_prop_ro(
          "shapes",
          [](const Scene& scene) {
            PairsFile file;
            for (const auto& [name, shape] : scene.shapes) file.shapes.emplace_back(name, shape);
            return SolidsOf(file);
          },
          nb::sig("def shapes(self) -> dict[str, Shape]"), "The named solids, for measure().")
      .def_ro("source", &Scene::source, "The text that it was read from.")
      .def("to_yaml", &ToYaml, "The scene as YAML, every default explicit.")
      .def("__repr__", [](const Scene& scene) {
        return fmt::format("<intervox.Scene '{}', {:g} s in steps of {:g} s, bodies: {}>",
                           scene.name, scene.duration, scene.integrator.step,
                           Joined(NamesOf(scene.bodies)));
      });
  m.def(
      "_load_scene",
      [](const std::string& path, const std::vector<std::string>& overrides) {
        return LoadScene(path, overrides);
      },
      "path"_a, "overrides"_a);
  m.def(
      "_parse_scene",
      [](const std::string& text, const std::string& path,
         const std::vector<std::string>& overrides) {
        return host::ParseScene(text, path, overrides);
      },
      "text"_a, "path"_a, "overrides"_a);
}

}  // namespace intervox::python
