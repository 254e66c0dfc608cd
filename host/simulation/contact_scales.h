/** @file The scales of a contact that decide how it is stepped: depth, frequency, speeds. */
#pragma once

#include "host/simulation/group.h"

namespace intervox::host {

/** Radius of gyration of a patch about its centroid [m]. */
double PatchRadius(const PatchGeometry& geometry);

/** Elastic energy of a patch [J]: w(V) for a law that conserves; else f_e (V_r/V) d p/(p + 1), p
 being the DepthPower, d the MeanDepth and V_r = max(0, V − V_o) what is not relaxed. Where the
 overlap is a whole cell, |S| is 0 and the spread along n tells d. Of a law that remembers it is the
 work of pressing along its curve. */
double ElasticEnergy(const ContactModel& model, const PatchGeometry& geometry,
                     const PatchLatch& latch, double V_o);

/** What rounding of the moments makes of ElasticEnergy [J]. */
double ElasticEnergyError(const ContactModel& model, const PatchGeometry& geometry,
                          const PatchLatch& latch);

/** Largest frequency of a contact against its two bodies, in the normal's direction and in tilt:
 ω² = f_e' |S| W [rad/s]. Zero without overlap or direction. */
double Frequency(const ContactModel& model, const PatchGeometry& geometry, const PatchLatch& latch,
                 const StageBody& body_i, const StageBody& body_j);

/** The same at the group's accepted state. */
double Frequency(const World& world, const BodyGroup& group, const Contact& contact);

/** How fast the damping of a point stops its two bodies at the accepted state [1/s]; of a patch
 that which is there from its beginning. */
double DampingRate(const World& world, const BodyGroup& group, const Contact& contact);

/** Size of the smaller of two bodies: twice the radius of the ball around it; 0: unbounded [m]. */
double SmallerSize(const World& world, const BodyGroup& group, int i, int j);

/** Contacts that begin slower than this are not worth an event [m/s]: a thousandth of √(g L), and
 not above 2.5e-6 L/h, L being the smaller body's size. */
double OnsetSpeed(const World& world, const BodyGroup& group, int i, int j);

/** What the loads on a free body make of it where nothing touches it, at the accepted state; zero
 for others [m/s²]. */
Vec3 LoadAcceleration(const World& world, const BodyGroup& group, int body);

/** √(2 E W) of the energy E that a contact stores at the accepted state, W being what its bodies
 give way by along its normal; where it carries more than the loads of the two, as within an impact,
 by so much less. Never above what they press with: of a body of its own at rest a/ω [m/s].
 @param rate  set to √(a/z), z = 2 E/f: the ω of whatever rests on the contact under a, and within
 an impact that is faster than the load a part of it [1/s]; 0 where there is no load */
double LoadSpeed(const World& world, const ContactModel& model, const BodyGroup& group,
                 const Contact& contact, double* rate);

/** Whether a contact that begins within a substep of this length [s] is worth an event: it begins
 faster than OnsetSpeed, v_n being the bodies' velocity along its normal at the substep's start, or
 loads may have made it many times as fast by then. */
bool BeginsFast(const World& world, const BodyGroup& group, const Contact& contact, double v_n,
                double length);

/** The way of the point of a body that is at p while its frame is at `from`, as that goes to `to`
 [m]. */
Vec3 WayOfPoint(const Pose& from, const Pose& to, const Vec3& p);

}  // namespace intervox::host
