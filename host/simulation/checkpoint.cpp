#include "host/simulation/checkpoint.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "host/input/error.h"
#include "host/results/replace_file.h"
#include "host/world/checksum.h"

namespace intervox::host {
namespace {

constexpr char kMagic[8] = {'I', 'N', 'T', 'E', 'R', 'V', 'O', 'X'};
constexpr std::uint32_t kVersion = 14;
constexpr std::size_t kHeader = 8 + 4 + 4 + 3 * 8;
constexpr std::size_t kMarkBytes = 4 * 8;

using Bytes = std::vector<unsigned char>;

/** Appends numbers. */
class Writer {
 public:
  template <class T>
  void operator()(T& x) {
    static_assert(std::is_arithmetic_v<T>);
    const auto* from = reinterpret_cast<const unsigned char*>(&x);
    bytes.insert(bytes.end(), from, from + sizeof(T));
  }
  void operator()(bool& x) {
    std::uint8_t byte = x ? 1 : 0;
    (*this)(byte);
  }
  Bytes bytes;
};

/** Takes numbers off; throws std::out_of_range at the end. */
class Reader {
 public:
  explicit Reader(std::span<const unsigned char> bytes) : bytes_(bytes) {}
  template <class T>
  void operator()(T& x) {
    static_assert(std::is_arithmetic_v<T>);
    if (bytes_.size() < sizeof(T)) throw std::out_of_range("checkpoint");
    std::memcpy(&x, bytes_.data(), sizeof(T));
    bytes_ = bytes_.subspan(sizeof(T));
  }
  void operator()(bool& x) {
    std::uint8_t byte = 0;
    (*this)(byte);
    x = byte != 0;
  }
  std::size_t left() const { return bytes_.size(); }

 private:
  std::span<const unsigned char> bytes_;
};

template <class Archive>
void Visit(Archive& ar, Vec3& v) {
  ar(v.x);
  ar(v.y);
  ar(v.z);
}

template <class Archive>
void Visit(Archive& ar, Quaternion& q) {
  ar(q.w);
  ar(q.x);
  ar(q.y);
  ar(q.z);
}

template <class Archive>
void Visit(Archive& ar, BodyInput& input) {
  Visit(ar, input.force);
  Visit(ar, input.torque);
  Visit(ar, input.p_BP);
  ar(input.drives);
  ar(input.drive.t);
  Visit(ar, input.drive.position);
  Visit(ar, input.drive.velocity);
  Visit(ar, input.drive.orientation);
  Visit(ar, input.drive.angular_velocity);
}

template <class Archive>
void Visit(Archive& ar, RigidBody& body) {
  Visit(ar, body.p_WM);
  Visit(ar, body.q_WB);
  Visit(ar, body.momentum);
  Visit(ar, body.spin);
  Visit(ar, body.input);
  ar(body.account.passed);
  ar(body.account.gained);
}

template <class Archive>
void Visit(Archive& ar, PatchState& state) {
  Visit(ar, state.z);
  ar(state.theta);
  ar(state.s_dw);
  ar(state.V_o);
  Visit(ar, state.z_j);
  ar(state.theta_j);
}

template <class Archive>
void Visit(Archive& ar, Mat3& m) {
  Visit(ar, m.row0);
  Visit(ar, m.row1);
  Visit(ar, m.row2);
}

template <class Archive>
void Visit(Archive& ar, PatchGeometry& g) {
  ar(g.is_point);
  ar(g.V);
  Visit(ar, g.p_WC);
  Visit(ar, g.n);
  Visit(ar, g.J_W);
  Visit(ar, g.S);
  Visit(ar, g.G);
  Visit(ar, g.S_wall);
  ar(g.turn);
  Visit(ar, g.twist);
  ar(g.k_1);
  ar(g.k_2);
  Visit(ar, g.d_1);
  ar(g.weight);
  Visit(ar, g.R_n);
}

template <class Archive>
void Visit(Archive& ar, ContactPower& power) {
  ar(power.elastic);
  ar(power.normal);
  ar(power.bound);
  ar(power.friction);
  ar(power.spinning);
  ar(power.rolling);
  ar(power.bristle);
  ar(power.bristle_spin);
}

template <class Archive>
void Visit(Archive& ar, Contact& c) {
  ar(c.id);
  ar(c.body_i);
  ar(c.body_j);
  auto phase = static_cast<std::uint8_t>(c.phase);
  ar(phase);
  c.phase = static_cast<ContactPhase>(phase);
  Visit(ar, c.geometry);
  ar(c.pairs);
  ar(c.active);
  ar(c.latched);
  ar(c.has_normal);
  Visit(ar, c.n_accepted);
  Visit(ar, c.accepted);
  ar(c.latch.v_i);
  ar(c.latch.a);
  ar(c.latch.bound);
  ar(c.latch.form);
  ar(c.latch.offset);
  ar(c.latch.quiet);
  ar(c.latch.V_max);
  ar(c.latch.unloading);
  ar(c.latch.V_last);
  ar(c.latch.V_rate_last);
  ar(c.accepted_form);
  ar(c.weight_share);
  ar(c.since);
  ar(c.bristle_energy);
  ar(c.foundation_energy);
  ar(c.impact);
  ar(c.f_n);
  Visit(ar, c.force);
  Visit(ar, c.torque);
  Visit(ar, c.force_rate);
  Visit(ar, c.torque_rate);
  ar(c.solved);
  Visit(ar, c.rate);
  Visit(ar, c.power);
  ar(c.relaxation_power);
  ar(c.has_lever);
  Visit(ar, c.lever_i);
  Visit(ar, c.lever_j);
  ar(c.lever_speed);
}

template <class Archive>
void Visit(Archive& ar, Held& held) {
  ar(held.cells.i);
  ar(held.cells.j);
  ar(held.cells.a);
  ar(held.cells.b);
  ar(held.cells.point);
  ar(held.contact);
}

template <class Archive>
void Visit(Archive& ar, ImpactRecord& impact) {
  ar(impact.t);
  ar(impact.body_i);
  ar(impact.body_j);
  ar(impact.approach_speed);
  ar(impact.peak_force);
}

template <class Archive>
void Visit(Archive& ar, SimulationCounters& c) {
  ar(c.steps);
  ar(c.substeps);
  ar(c.stages);
  ar(c.pairs);
  ar(c.active_pairs);
  ar(c.solver_iterations);
  ar(c.unconverged_stages);
  ar(c.creating_contacts);
  ar(c.bounded_contacts);
  ar(c.slowed_substeps);
  ar(c.engine_failures);
  ar(c.dissipative_substeps);
  ar(c.redone_substeps);
  ar(c.gaining_substeps);
  ar(c.arrests);
  ar(c.slowest_step);
}

template <class Archive, class T>
void VisitAll(Archive& ar, std::vector<T>& items) {
  auto count = static_cast<std::uint64_t>(items.size());
  ar(count);
  if constexpr (std::is_same_v<Archive, Reader>) {
    // Every item has bytes: a count above what is left is damage, not a reason to allocate.
    if (count > ar.left()) throw std::out_of_range("checkpoint");
    items.resize(count);
  }
  for (T& item : items) Visit(ar, item);
}

template <class Archive>
void Visit(Archive& ar, EnergyGain& gain) {
  ar(gain.t);
  ar(gain.body);
  ar(gain.gain);
}

template <class Archive>
void Visit(Archive& ar, ArrestRecord& arrest) {
  ar(arrest.t);
  ar(arrest.body);
  ar(arrest.taken);
}

template <class Archive>
void Visit(Archive& ar, EnergyLedger& ledger) {
  for (double& work : ledger.work) ar(work);
  ar(ledger.elastic);
  ar(ledger.numerical);
  ar(ledger.bristle_lost);
  ar(ledger.projected);
  for (double& highest : ledger.highest) ar(highest);
  ar(ledger.largest_fall);
}

/** What a checkpoint holds. */
struct Content {
  State state;
  RunFigures figures;
};

template <class Archive>
void Visit(Archive& ar, Content& content) {
  State& state = content.state;
  ar(state.step);
  ar(state.time);
  Visit(ar, state.ledger);
  ar(state.start_energy);
  ar(state.moving_until);
  ar(state.joint_error);
  VisitAll(ar, state.impacts);
  VisitAll(ar, state.gains);
  VisitAll(ar, state.arrests);
  Visit(ar, state.counters);
  VisitAll(ar, state.bodies);
  VisitAll(ar, state.patches.contacts);
  VisitAll(ar, state.patches.held);
  ar(state.patches.next_id);
  ar(state.patches.undefined_normals);
  VisitAll(ar, content.figures.peak_force);
}

std::uint64_t Sum(std::span<const unsigned char> bytes) {
  Checksum sum;
  sum.AddBytes(bytes);
  return sum.value();
}

Bytes ToBytes(ResultsMark mark) {
  Writer writer;
  writer(mark.run);
  writer(mark.samples);
  writer(mark.patches);
  std::uint64_t sum = Sum(writer.bytes);
  writer(sum);
  return std::move(writer.bytes);
}

/** Whether the indices in a checkpoint point to something that is there. */
bool IsConsistent(const Content& content, const World& world) {
  const State& state = content.state;
  const std::size_t bodies = world.start.size();
  if (state.bodies.size() != bodies || content.figures.peak_force.size() != bodies) return false;
  const auto within = [](auto index, std::size_t size) {
    return index >= 0 && static_cast<std::size_t>(index) < size;
  };
  const auto touch = [&](int i, int j) {
    return within(i, bodies) && within(j, bodies) && i < j && world.Rule(i, j) != nullptr;
  };
  for (const Contact& contact : state.patches.contacts) {
    if (!touch(contact.body_i, contact.body_j)) return false;
    if (contact.phase > ContactPhase::kAccepted) return false;
    if (contact.impact >= 0 && !within(contact.impact, state.impacts.size())) return false;
  }
  for (const Held& held : state.patches.held) {
    if (!touch(held.cells.i, held.cells.j)) return false;
    if (!within(held.contact, state.patches.contacts.size())) return false;
    if (!within(held.cells.a, world.cells[static_cast<std::size_t>(held.cells.i)].size()) ||
        !within(held.cells.b, world.cells[static_cast<std::size_t>(held.cells.j)].size())) {
      return false;
    }
  }
  return true;
}

[[noreturn]] void Fail(const std::string& name, const std::string& what) {
  throw InputError("checkpoint " + name + ": " + what +
                   " Use another checkpoint, or start the run anew.");
}

Bytes ReadBytes(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) Fail(path.string(), "cannot be read.");
  return Bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
}

ResultsMark MarkOf(const Bytes& bytes, const std::filesystem::path& path) {
  if (bytes.size() < kHeader + kMarkBytes) Fail(path.string(), "is truncated.");
  Reader reader({bytes.data() + bytes.size() - kMarkBytes, kMarkBytes});
  ResultsMark mark;
  reader(mark.run);
  reader(mark.samples);
  reader(mark.patches);
  const Bytes expected = ToBytes(mark);
  if (!std::equal(expected.begin(), expected.end(), bytes.end() - kMarkBytes)) {
    Fail(path.string(), "is corrupt: the checksum of its mark is wrong.");
  }
  return mark;
}

}  // namespace

std::vector<unsigned char> MakeCheckpoint(const World& world, const State& state,
                                          const RunFigures& figures) {
  Content content{state, figures};
  Writer payload;
  Visit(payload, content);

  Writer file;
  for (const char letter : kMagic) file.bytes.push_back(static_cast<unsigned char>(letter));
  std::uint32_t version = kVersion, zero = 0;
  std::uint64_t fingerprint = world.fingerprint, length = payload.bytes.size(),
                sum = Sum(payload.bytes);
  file(version);
  file(zero);
  file(fingerprint);
  file(length);
  file(sum);
  file.bytes.insert(file.bytes.end(), payload.bytes.begin(), payload.bytes.end());
  return std::move(file.bytes);
}

void WriteCheckpoint(const std::filesystem::path& path, std::span<const unsigned char> bytes,
                     const ResultsMark& mark) {
  Bytes all(bytes.begin(), bytes.end());
  const Bytes end = ToBytes(mark);
  all.insert(all.end(), end.begin(), end.end());
  ReplaceBytes(path, {reinterpret_cast<const char*>(all.data()), all.size()});
}

ResultsMark ReadMark(const std::filesystem::path& path) { return MarkOf(ReadBytes(path), path); }

State ReadCheckpoint(const std::filesystem::path& path, const World& world, RunFigures* figures) {
  const Bytes bytes = ReadBytes(path);
  RunFigures read = *figures;
  State state = FromCheckpoint({bytes.data(), bytes.size() - std::min(bytes.size(), kMarkBytes)},
                               path.string(), world, &read);
  MarkOf(bytes, path);
  *figures = std::move(read);
  return state;
}

State FromCheckpoint(std::span<const unsigned char> bytes, const std::string& name,
                     const World& world, RunFigures* figures) {
  const auto fail = [&](const std::string& what) { Fail(name, what); };
  if (bytes.size() < kHeader) fail("is truncated (" + std::to_string(bytes.size()) + " bytes).");
  if (std::memcmp(bytes.data(), kMagic, sizeof(kMagic)) != 0) fail("is not a checkpoint.");
  Reader header({bytes.data() + sizeof(kMagic), kHeader - sizeof(kMagic)});
  std::uint32_t version = 0, zero = 0;
  std::uint64_t fingerprint = 0, length = 0, sum = 0;
  header(version);
  header(zero);
  header(fingerprint);
  header(length);
  header(sum);
  if (version != kVersion) {
    fail("has version " + std::to_string(version) + ", this program reads " +
         std::to_string(kVersion) + ".");
  }
  const std::span<const unsigned char> payload{bytes.data() + kHeader, bytes.size() - kHeader};
  if (payload.size() != length) {
    fail("is truncated: " + std::to_string(payload.size()) + " of " + std::to_string(length) +
         " bytes.");
  }
  if (Sum(payload) != sum) fail("is corrupt: its checksum is wrong.");
  if (fingerprint != world.fingerprint) {
    fail("belongs to another scene, or to other settings of this one.");
  }
  Content content;
  State& state = content.state;
  try {
    Reader reader(payload);
    Visit(reader, content);
  } catch (const std::out_of_range&) {
    fail("is corrupt: its contents do not add up.");
  }
  if (!IsConsistent(content, world)) fail("is corrupt: its contents do not add up.");
  // Constants of the bodies come from the scene.
  for (std::size_t b = 0; b < state.bodies.size(); ++b) {
    RigidBody body = world.start[b];
    body.p_WM = state.bodies[b].p_WM;
    body.q_WB = state.bodies[b].q_WB;
    body.momentum = state.bodies[b].momentum;
    body.spin = state.bodies[b].spin;
    body.input = state.bodies[b].input;
    body.account = state.bodies[b].account;
    state.bodies[b] = body;
  }
  *figures = std::move(content.figures);
  return std::move(content.state);
}

}  // namespace intervox::host
