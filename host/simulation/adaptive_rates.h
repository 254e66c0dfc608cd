/** @file A group's equations of motion as rates of one vector, for adaptive methods. */
#pragma once

#include <span>
#include <string>
#include <vector>

#include "host/simulation/stage.h"
#include "integrators/adaptive.h"

namespace intervox::host {

/** The equations of a group between two events. The vector holds positions, velocities and
 quadratures as StateLayout says, one after the other. */
class GroupRates final : public integrators::RateSystem {
 public:
  /** From the group's accepted state. All must outlive this.
   @param substep  from the accepted time on, adaptive. @param scratch  for this alone */
  GroupRates(const StageTools& tools, const BodyGroup& group, const Substep& substep,
             StageScratch* scratch);

  void Rate(double t, std::span<const double> states, std::span<double> rate) override;
  /** The largest error that matters by itself, in proportion: velocities v_s; positions v_s/ω, the
   way within a contact's own time, at most the body's radius of gyration r; turns that over r;
   bristles likewise; dwell states 1. v_s is the largest of the bodies' speeds and of √(a r), a
   being what their loads give them; ω the fastest frequency of contacts, bristles and holders
   around this state. */
  void Scales(std::span<const double> states, std::span<double> scales) override;

  /** The vector at the accepted state. */
  std::vector<double> Start();
  /** Numbers in the vector that are quadratures. */
  std::size_t Quadratures() const { return scratch_.a.size(); }
  /** Takes the vector apart. */
  void Split(std::span<const double> all, StageScratch* into) const;
  /** Has latches go on from those of the state evaluated last. */
  void KeepLatches() { stage_.KeepLatches(); }
  /** Largest ω since it was asked last, of contacts [rad/s]. */
  double TakeFastest();
  /** What a state is, for messages: "the momentum of body peg". */
  std::string NameOf(std::size_t state) const;

 private:
  double BristleFrequency() const;

  const StageTools& tools_;
  const BodyGroup& group_;
  StageScratch& scratch_;
  GroupStage stage_;
  std::size_t positions_ = 0, velocities_ = 0;
  std::vector<double> velocities_now_;
  std::vector<double> radius_;  ///< of gyration, of each free body [m]
  double speed_ = 0.0;          ///< v_s [m/s]
  double holders_ = 0.0;        ///< their fastest frequency [rad/s]
  double recent_ = 0.0;         ///< fastest frequency since the scales were asked for [rad/s]
  double fastest_ = 0.0;        ///< of contacts since it was taken [rad/s]
};

}  // namespace intervox::host
