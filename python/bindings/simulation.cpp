#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <limits>

#include "host/simulation/warnings.h"
#include "python/bindings/bindings.h"
#include "python/bindings/reports.h"

namespace intervox::python {
namespace {

Session& SessionOf(nb::handle self) { return *nb::inst_ptr<Session>(self); }

template <class T>
T ViewOf(nb::handle self) {
  return {nb::borrow(self), &SessionOf(self), 0};
}

/** An open results file as Python holds it. */
struct RecordingHandle {
  nb::object owner;
  Session* session = nullptr;
  std::string path;
  std::int64_t number = 0;

  /** The recording, while it is open. */
  const Recording* Open() const {
    const Recording* recording = session->recording();
    return recording != nullptr && recording->number == number ? recording : nullptr;
  }
  void Close() const {
    if (Open() != nullptr) session->EndRecord();
  }
};

void BindEnergy(nb::module_& m) {
  nb::class_<EnergyAudit>(m, "EnergyAudit",
                          "Energies since the start [J]: kinetic + gravity + elastic + bristle - "
                          "their start + dissipated - work = balance, the error of the steps.")
      .def_ro("kinetic", &EnergyAudit::kinetic, "Of all free bodies [J].")
      .def_ro("gravity", &EnergyAudit::gravity, "Potential, 0 at the start [J].")
      .def_ro("elastic", &EnergyAudit::elastic, "Stored in contacts [J].")
      .def_ro("bristle", &EnergyAudit::bristle, "Stored in bristles of friction [J].")
      .def_ro("dissipated_normal", &EnergyAudit::dissipated_normal,
              "Taken by the damping of normal forces [J].")
      .def_ro("dissipated_sliding", &EnergyAudit::dissipated_sliding, "Taken by friction [J].")
      .def_ro("dissipated_spinning", &EnergyAudit::dissipated_spinning,
              "Taken by friction against spin [J].")
      .def_ro("dissipated_rolling", &EnergyAudit::dissipated_rolling,
              "Taken by rolling resistance [J].")
      .def_ro("dissipated_numerical", &EnergyAudit::dissipated_numerical,
              "Taken by unresolved substeps, and by putting joints right [J].")
      .def_ro("law_gain", &EnergyAudit::law_gain,
              "What normal laws gave beyond what bodies put into them [J].")
      .def_ro("bound_loss", &EnergyAudit::bound_loss,
              "Of dissipated_normal, by what bounds passive contacts [J].")
      .def_ro("work_applied", &EnergyAudit::work_applied, "By wrenches, holders and set_state [J].")
      .def_ro("work_driven", &EnergyAudit::work_driven, "By prescribed motions [J].")
      .def_ro("work_relaxation", &EnergyAudit::work_relaxation,
              "By the moving relaxation offset [J].")
      .def_ro("balance", &EnergyAudit::balance, "What is left over [J].")
      .def("__repr__", [](const EnergyAudit& e) {
        return fmt::format(
            "<intervox.EnergyAudit kinetic={:.6g} J, gravity={:.6g} J, elastic={:.6g} J, "
            "balance={:.2g} J>",
            e.kinetic, e.gravity, e.elastic, e.balance);
      });
}

void BindRecording(nb::module_& m) {
  nb::class_<RecordingHandle>(m, "Recording",
                              "A results file that is being written; a context manager that ends "
                              "it. Made by Simulation.record(path).")
      .def_ro("path", &RecordingHandle::path)
      .def(
          "close", [](const RecordingHandle& r) { r.Close(); },
          "Writes the present state as the last sample and ends the file.")
      .def(
          "__enter__", [](nb::handle self) { return nb::borrow(self); },
          nb::sig("def __enter__(self) -> Recording"))
      .def(
          "__exit__",
          [](const RecordingHandle& r, nb::handle, nb::handle, nb::handle) { r.Close(); },
          nb::arg().none(), nb::arg().none(), nb::arg().none())
      .def("__repr__", [](const RecordingHandle& r) {
        const Recording* open = r.Open();
        return fmt::format(
            "<intervox.Recording '{}', {}>", r.path,
            open == nullptr ? "closed" : fmt::format("samples: {}", open->recorder.samples()));
      });
}

using SimulationClass = nb::class_<Session>;

/** A call that places a body or its holder's target: (body, pose, velocity, angular velocity). */
template <void (Simulation::*Set)(int, const Pose&, const Vec3&, const Vec3&)>
void BindPlacing(SimulationClass& c, const char* name, const char* doc) {
  static const std::string signature = fmt::format(
      "def {}(self, body: str | int, pose: PoseLike, velocity: Vector = (0.0, 0.0, 0.0), "
      "angular_velocity: Vector = (0.0, 0.0, 0.0)) -> None",
      name);
  c.def(
      name,
      [](Session& s, nb::handle body, nb::handle pose, nb::handle v, nb::handle w) {
        (s.Get().*Set)(s.bodies().Of(body), ToPose(pose, "pose"), ToVec3(v, "velocity"),
                       ToVec3(w, "angular_velocity"));
      },
      "body"_a.none(), "pose"_a.none(), nb::arg("velocity").none() = nb::make_tuple(0.0, 0.0, 0.0),
      nb::arg("angular_velocity").none() = nb::make_tuple(0.0, 0.0, 0.0),
      nb::sig(signature.c_str()), doc);
}

void BindInputs(SimulationClass& c) {
  c.def(
      "set_wrench",
      [](Session& s, nb::handle body, nb::handle force, nb::handle torque, nb::handle point) {
        s.Get().SetWrench(s.bodies().Of(body), ToVec3(force, "force"), ToVec3(torque, "torque"),
                          ToVec3(point, "point"));
      },
      "body"_a.none(), nb::arg("force").none() = nb::make_tuple(0.0, 0.0, 0.0),
      nb::arg("torque").none() = nb::make_tuple(0.0, 0.0, 0.0),
      nb::arg("point").none() = nb::make_tuple(0.0, 0.0, 0.0),
      nb::sig("def set_wrench(self, body: str | int, force: Vector = (0.0, 0.0, 0.0), torque: "
              "Vector = (0.0, 0.0, 0.0), point: Vector = (0.0, 0.0, 0.0)) -> None"),
      "A wrench on a free body, besides the scene's own, until it is set again. force [N] and "
      "torque [N m] in world axes; the force acts at point [m] of the body's frame.");
  BindPlacing<&Simulation::SetHolderTarget>(
      c, "set_holder_target",
      "Has the target of a body's holder go on from a pose X_WT with constant velocities [m/s], "
      "[rad/s], world axes. Quaternions are (w, x, y, z).");
  BindPlacing<&Simulation::SetMotion>(
      c, "set_motion",
      "Has a driven body go on from a pose X_WB with constant velocities [m/s], [rad/s], world "
      "axes. Contacts last where that is its place. Quaternions are (w, x, y, z).");
  BindPlacing<&Simulation::SetState>(
      c, "set_state",
      "Places a free body at X_WB with velocities of its frame's origin [m/s] and [rad/s], world "
      "axes. Its contacts end; what that adds is work_applied. Quaternions are (w, x, y, z).");
}

void BindState(SimulationClass& c) {
  c.def_prop_ro(
       "time", [](Session& s) { return s.Get().Time(); }, "Simulated time [s].")
      .def_prop_ro(
          "done", [](Session& s) { return s.Get().Done(); },
          "Whether the scene's duration is reached.")
      .def_prop_ro(
          "steps", [](Session& s) { return s.Get().Counters().steps; },
          "Accepted steps since the start.")
      .def_prop_ro(
          "scene", [](Session& s) -> const Scene& { return s.Get().GetScene(); },
          nb::rv_policy::reference_internal, "The scene that it was made of.")
      .def_prop_ro(
          "warnings",
          [](Session& s) {
            const Simulation& now = s.Get();
            const auto of_scene = now.Warnings();
            std::vector<std::string> warnings(of_scene.begin(), of_scene.end());
            for (std::string& text : host::WarningsOfRun(now, host::EnergyThrough(now.Energy()))) {
              warnings.push_back(std::move(text));
            }
            return warnings;
          },
          "Remarks on the scene's settings, then what must be known of the run so far: energy "
          "gained, bodies that were stopped, overlaps that missed the tolerance.")
      .def_prop_ro(
          "bodies", [](nb::handle self) { return ViewOf<View<AllBodies>>(self); },
          nb::sig("def bodies(self) -> Bodies"), "The bodies by name.")
      .def_prop_ro(
          "sensors", [](nb::handle self) { return ViewOf<View<AllSensors>>(self); },
          nb::sig("def sensors(self) -> Sensors"), "The sensors by name.")
      .def_prop_ro(
          "joints", [](nb::handle self) { return ViewOf<View<AllJoints>>(self); },
          nb::sig("def joints(self) -> Joints"), "The joints by name.")
      .def_prop_ro(
          "contacts", [](Session& s) { return ContactsOf(s.Get()); },
          nb::sig("def contacts(self) -> numpy.typing.NDArray[numpy.void]"),
          "The contacts of the last step, by ascending id: a structured array with id, "
          "body_i, body_j, pairs, volume [m^3], centroid [m], normal, area_vector [m^2], "
          "inertia [m^5], normal_force [N], force on body_i at the centroid [N], torque "
          "[N m], velocity of i relative to j [m/s], bristle [m], approach_speed [m/s], "
          "damping_factor [s/m], since [s]; world axes.")
      .def_prop_ro(
          "impacts", [](Session& s) { return ImpactsOf(s.Get()); },
          nb::sig("def impacts(self) -> numpy.typing.NDArray[numpy.void]"),
          "The onsets of contact so far: a structured array with time [s], body_i, body_j, "
          "approach_speed [m/s], peak_force [N].")
      .def_prop_ro(
          "energy", [](Session& s) { return s.Get().Energy(); }, "The energy audit [J].")
      .def_prop_ro(
          "resting_for", [](Session& s) { return s.Get().RestingFor(); },
          "How long all free bodies have been slow [s].");
}

}  // namespace

void BindSimulation(nb::module_& m) {
  BindEnergy(m);
  BindRecording(m);
  SimulationClass c(m, "Simulation",
                    "A scene stepped in time. Deterministic: the same scene and inputs give the "
                    "same bits on any number of threads. SI; quaternions are (w, x, y, z). One "
                    "thread at a time may use it; calls that compute let other threads run.");
  c.def(nb::init<const Scene&, int>(), "scene"_a, nb::kw_only(), "threads"_a = 0,
        "A simulation of the scene; threads: 0 for all cores.")
      .def("step", &Session::Step, "n"_a = 1,
           "Steps n times, past the scene's duration too. Ctrl-C ends it between two steps.")
      .def(
          "run",
          [](nb::handle self, std::optional<double> until, const nb::object& each) {
            auto& s = nb::cast<Session&>(self);
            const double end = until.value_or(std::numeric_limits<double>::infinity());
            if (std::isnan(end)) throw std::invalid_argument("run: until is not a number.");
            if (each.is_none()) return s.Run(end);
            while (s.RunsUntil(end)) {
              s.Step(1);
              each(self);
            }
          },
          "until"_a = nb::none(), nb::kw_only(), "each"_a = nb::none(),
          nb::sig("def run(self, until: float | None = None, *, each: "
                  "collections.abc.Callable[[Simulation], object] | None = None) -> None"),
          "Steps until it is done, or until this time [s]. Calls each(simulation), if given, after "
          "every accepted step; it may set inputs. Ctrl-C ends it between two steps.")
      .def("clone", &Session::Clone,
           "A simulation in the same state, which goes on with the same bits; not recorded.")
      .def("__copy__", &Session::Clone)
      .def("__deepcopy__", [](Session& s, nb::handle) { return s.Clone(); })
      .def(
          "save",
          [](Session& s) {
            const std::vector<unsigned char> bytes = s.Get().Save();
            return nb::bytes(bytes.data(), bytes.size());
          },
          "The state with its inputs, as a checkpoint file holds it.")
      .def(
          "restore",
          [](Session& s, const nb::bytes& state) {
            s.Restore({static_cast<const unsigned char*>(state.data()), state.size()});
          },
          "state"_a, "Goes on from save() of a simulation of the same scene.")
      .def(
          "record",
          [](nb::handle self, const std::filesystem::path& path, std::optional<double> every) {
            Session& session = SessionOf(self);
            const std::int64_t number = session.Record(path.string(), every);
            return RecordingHandle{nb::borrow(self), &session, path.string(), number};
          },
          "path"_a, nb::kw_only(), "every"_a = nb::none(),
          nb::sig(
              "def record(self, path: str | os.PathLike[str], *, every: float | None = None) -> "
              "Recording"),
          "Writes a results file (HDF5), as `intervox run` does, from now on until the returned "
          "context ends. every [s]: the scene's output.every where it is None.")
      .def("__repr__", [](Session& s) {
        Simulation& simulation = s.Get();
        return fmt::format("<intervox.Simulation '{}' at {:g} of {:g} s, bodies: {}, contacts: {}>",
                           simulation.GetScene().name, simulation.Time(),
                           simulation.GetScene().duration, simulation.State().size(),
                           simulation.Contacts().size());
      });
  BindInputs(c);
  BindState(c);
  m.def(
      "_replay",
      [](const std::string& path, const std::optional<std::string>& record, int threads) {
        const host::RecordedRun run = host::ReadRun(path);
        auto session = std::make_unique<Session>(run.scene, threads);
        session->Replay(run, record);
        return session;
      },
      "path"_a, "record"_a.none(), "threads"_a);
}

}  // namespace intervox::python
