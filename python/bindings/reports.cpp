#include "python/bindings/reports.h"

#include <fmt/format.h>
#include <nanobind/make_iterator.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/bindings.h"

namespace intervox::python {
namespace {

constexpr const char* kArray = "(self) -> FloatArray";

std::string Getter(const char* name) { return std::string("def ") + name + kArray; }

using Body = View<OneBody>;
using Bodies = View<AllBodies>;
using Sensor = View<OneSensor>;
using Sensors = View<AllSensors>;
using Joint = View<OneJoint>;
using Joints = View<AllJoints>;

const BodyState& StateOf(const Body& body) {
  return body.session->Get().State()[static_cast<std::size_t>(body.number)];
}

const SensorReading& ReadingOf(const Sensor& sensor) {
  return sensor.session->Get().Sensors()[static_cast<std::size_t>(sensor.number)];
}

const JointReading& ReadingOf(const Joint& joint) {
  return joint.session->Get().Joints()[static_cast<std::size_t>(joint.number)];
}

/** All rows of one member: an array (n, 3) or (n, 4). */
template <class State, class Member>
nb::object Stacked(std::span<const State> states, Member member) {
  using Value = std::remove_cvref_t<decltype(member(states[0]))>;
  constexpr auto kWidth = static_cast<Py_ssize_t>(sizeof(Value) / sizeof(double));
  const Py_ssize_t shape[] = {static_cast<Py_ssize_t>(states.size()), kWidth};
  nb::object array = Array(shape);
  auto* rows = static_cast<Value*>(DataOf(array));
  for (std::size_t i = 0; i < states.size(); ++i) rows[i] = member(states[i]);
  return array;
}

/** A mapping from names, in order, to views of one thing. */
template <class All, class One>
auto BindNamed(nb::module_& m, const char* name, const char* doc, const char* item_signature,
               const Index& (Session::*index)() const) {
  return nb::class_<All>(m, name, doc)
      .def(
          "__getitem__",
          [index](const All& all, nb::handle key) {
            return One{all.owner, all.session, (all.session->*index)().Of(key)};
          },
          nb::sig(item_signature), "By name or number.")
      .def("__len__", [index](const All& all) { return (all.session->*index)().names.size(); })
      .def(
          "__iter__",
          [index](const All& all) { return nb::iter(nb::cast((all.session->*index)().names)); },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[str]"))
      .def("__contains__",
           [index](const All& all, const std::string& key) {
             return (all.session->*index)().numbers.count(key) > 0;
           })
      .def_prop_ro(
          "names", [index](const All& all) { return (all.session->*index)().names; },
          "The names, in the scene's order.")
      .def("__repr__", [index, name](const All& all) {
        std::string text;
        for (const std::string& key : (all.session->*index)().names) {
          text += (text.empty() ? "" : ", ") + key;
        }
        return fmt::format("<intervox.{}: {}>", name, text);
      });
}

}  // namespace

void BindReports(nb::module_& m) {
  nb::class_<Body>(m, "Body",
                   "A body of a simulation as it is now: each value is asked anew and yours to "
                   "keep. SI, world axes.")
      .def_prop_ro(
          "name", [](const Body& b) { return b.session->bodies().names[b.number]; },
          "Its name in the scene.")
      .def_ro("index", &Body::number, "Its number, as body_i and body_j of contacts have it.")
      .def_prop_ro(
          "position", [](const Body& b) { return Array(StateOf(b).X_WB.p); },
          nb::sig(Getter("position").c_str()), "Of the body frame's origin [m].")
      .def_prop_ro(
          "quaternion", [](const Body& b) { return Array(StateOf(b).q_WB); },
          nb::sig(Getter("quaternion").c_str()), "Orientation (w, x, y, z).")
      .def_prop_ro(
          "rotation", [](const Body& b) { return Array(StateOf(b).X_WB.R); },
          nb::sig(Getter("rotation").c_str()), "Rotation matrix (3, 3).")
      .def_prop_ro(
          "pose", [](const Body& b) { return StateOf(b).X_WB; }, "X_WB of the body frame.")
      .def_prop_ro(
          "center_of_mass", [](const Body& b) { return Array(StateOf(b).p_WM); },
          nb::sig(Getter("center_of_mass").c_str()), "Position [m].")
      .def_prop_ro(
          "velocity", [](const Body& b) { return Array(StateOf(b).v_WB); },
          nb::sig(Getter("velocity").c_str()), "Of the body frame's origin [m/s].")
      .def_prop_ro(
          "center_of_mass_velocity", [](const Body& b) { return Array(StateOf(b).v_WM); },
          nb::sig(Getter("center_of_mass_velocity").c_str()), "[m/s]")
      .def_prop_ro(
          "angular_velocity", [](const Body& b) { return Array(StateOf(b).w_WB); },
          nb::sig(Getter("angular_velocity").c_str()), "World axes [rad/s].")
      .def_prop_ro(
          "contact_force", [](const Body& b) { return Array(StateOf(b).contact_force); },
          nb::sig(Getter("contact_force").c_str()), "Sum of contact forces [N].")
      .def_prop_ro(
          "contact_torque", [](const Body& b) { return Array(StateOf(b).contact_torque); },
          nb::sig(Getter("contact_torque").c_str()),
          "Of contact forces, about the body frame's origin [N m].")
      .def("__repr__", [](const Body& b) {
        const BodyState& s = StateOf(b);
        return fmt::format(
            "<intervox.Body '{}' at {} m, quaternion {} (w, x, y, z), velocity {} m/s>",
            b.session->bodies().names[b.number], Shown(s.X_WB.p), Shown(s.q_WB), Shown(s.v_WB));
      });

  nb::class_<Sensor>(m, "Sensor", "A sensor as it reads now, in its resolve_in axes. SI.")
      .def_prop_ro(
          "name", [](const Sensor& s) { return s.session->sensors().names[s.number]; },
          "Its name in the scene.")
      .def_prop_ro(
          "position", [](const Sensor& s) { return Array(ReadingOf(s).position); },
          nb::sig(Getter("position").c_str()),
          "Of the sensor frame, in the resolve_in body's frame [m].")
      .def_prop_ro(
          "quaternion", [](const Sensor& s) { return Array(ReadingOf(s).orientation); },
          nb::sig(Getter("quaternion").c_str()), "Orientation (w, x, y, z), likewise.")
      .def_prop_ro(
          "velocity", [](const Sensor& s) { return Array(ReadingOf(s).velocity); },
          nb::sig(Getter("velocity").c_str()), "Relative to the world [m/s].")
      .def_prop_ro(
          "angular_velocity", [](const Sensor& s) { return Array(ReadingOf(s).angular_velocity); },
          nb::sig(Getter("angular_velocity").c_str()), "[rad/s]")
      .def_prop_ro(
          "force", [](const Sensor& s) { return Array(ReadingOf(s).force); },
          nb::sig(Getter("force").c_str()), "Contact force on the body [N].")
      .def_prop_ro(
          "torque", [](const Sensor& s) { return Array(ReadingOf(s).torque); },
          nb::sig(Getter("torque").c_str()), "About the sensor frame's origin [N m].")
      .def("__repr__", [](const Sensor& s) {
        const SensorReading& r = ReadingOf(s);
        return fmt::format("<intervox.Sensor '{}': force {} N, torque {} N m>",
                           s.session->sensors().names[s.number], Shown(r.force), Shown(r.torque));
      });

  nb::class_<Joint>(m, "Joint", "A joint as it reads now. SI, world axes.")
      .def_prop_ro(
          "name", [](const Joint& j) { return j.session->joints().names[j.number]; },
          "Its name in the scene.")
      .def_prop_ro(
          "coordinate", [](const Joint& j) { return ReadingOf(j).coordinate; },
          "Of the first body: shift along the axis [m], or angle about it in (-pi, pi] [rad]; 0 at "
          "the start, and where no coordinate is free.")
      .def_prop_ro(
          "rate", [](const Joint& j) { return ReadingOf(j).rate; }, "[m/s] or [rad/s]")
      .def_prop_ro(
          "force", [](const Joint& j) { return Array(ReadingOf(j).force); },
          nb::sig(Getter("force").c_str()), "On the first body, at the joint's point [N].")
      .def_prop_ro(
          "torque", [](const Joint& j) { return Array(ReadingOf(j).torque); },
          nb::sig(Getter("torque").c_str()), "On the first body, about that point [N m].")
      .def_prop_ro(
          "drive", [](const Joint& j) { return ReadingOf(j).drive; },
          "What its drive or its prescribed motion takes [N] or [N m].")
      .def_prop_ro(
          "error", [](const Joint& j) { return ReadingOf(j).error; },
          "Largest error of its equations [m] or [rad].")
      .def("__repr__", [](const Joint& j) {
        const JointReading& r = ReadingOf(j);
        return fmt::format("<intervox.Joint '{}': coordinate {:g}, rate {:g}, force {} N>",
                           j.session->joints().names[j.number], r.coordinate, r.rate,
                           Shown(r.force));
      });

  BindNamed<Bodies, Body>(m, "Bodies", "The bodies of a simulation by name, in the scene's order.",
                          "def __getitem__(self, key: str | int) -> Body", &Session::bodies)
      .def_prop_ro(
          "positions",
          [](const Bodies& all) {
            return Stacked(all.session->Get().State(), [](const BodyState& s) { return s.X_WB.p; });
          },
          nb::sig(Getter("positions").c_str()), "Of all body frames' origins [m], shape (n, 3).")
      .def_prop_ro(
          "quaternions",
          [](const Bodies& all) {
            return Stacked(all.session->Get().State(), [](const BodyState& s) { return s.q_WB; });
          },
          nb::sig(Getter("quaternions").c_str()), "Orientations (w, x, y, z), shape (n, 4).")
      .def_prop_ro(
          "velocities",
          [](const Bodies& all) {
            return Stacked(all.session->Get().State(), [](const BodyState& s) { return s.v_WB; });
          },
          nb::sig(Getter("velocities").c_str()), "Of the origins [m/s], shape (n, 3).")
      .def_prop_ro(
          "angular_velocities",
          [](const Bodies& all) {
            return Stacked(all.session->Get().State(), [](const BodyState& s) { return s.w_WB; });
          },
          nb::sig(Getter("angular_velocities").c_str()), "World axes [rad/s], shape (n, 3).");
  BindNamed<Sensors, Sensor>(m, "Sensors", "The sensors by name, in the scene's order.",
                             "def __getitem__(self, key: str | int) -> Sensor", &Session::sensors);
  BindNamed<Joints, Joint>(m, "Joints", "The joints by name, in the scene's order.",
                           "def __getitem__(self, key: str | int) -> Joint", &Session::joints);
}

}  // namespace intervox::python
