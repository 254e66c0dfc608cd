#include "host/contact/stage/stage_drag.h"

namespace intervox::host::internal {

DragInertia MakeDragInertia(double h_gamma, const StageDrag& drag, const Vec3& p_WM, double mass,
                            const Mat3& inertia) {
  const bool moves = mass > 0.0, turns = Trace(inertia) > 0.0;
  // v_B = v − X ω, and a force f at B has the moment X f about the centre of mass.
  const Mat3 X = CrossMatrix(drag.p_WB - p_WM);
  const Mat3 none = Mat3::Zero();
  DragInertia out{none, none, none, none, none, none};
  if (moves) out.K_vv = h_gamma * drag.D;
  if (moves && turns) out.K_vw = (-h_gamma) * (drag.D * X);
  if (turns) out.K_ww = h_gamma * (drag.D_r - X * (drag.D * X));
  const Mat3 M_vv = Mat3::Diagonal({mass, mass, mass}) + out.K_vv;
  const Mat3 inverse_vv = moves ? Inverse(M_vv) : none;
  if (turns) {
    const Mat3 Q = inverse_vv * out.K_vw;  // Schur's complement of the translation
    out.A_ww = Inverse(inertia + out.K_ww - Transpose(out.K_vw) * Q);
    out.A_vw = (-1.0) * (Q * out.A_ww);
    out.A_vv = inverse_vv - out.A_vw * Transpose(Q);
  } else {
    out.A_vv = inverse_vv;
  }
  return out;
}

}  // namespace intervox::host::internal
