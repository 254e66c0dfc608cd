/** @file The column rule's sum over sections alone. */
#pragma once

#include "cuda/rules/column/rule.h"

namespace intervox::cuda::testing {

/** Sums the sections of the model in the memory, which a box was fitted for, and plane faces. */
inline RuleResult SumSections(const LocalPair& pair, internal::column::ColumnMemory* memory,
                              Moments* moments) {
  using namespace internal::column;
  RuleResult result;
  auto& chart = *::new (&memory->chart) ColumnChart;
  ColumnCover cover;
  const ColumnStart start = StartColumns(pair, &memory->model, &memory->cover, &chart, &cover);
  result.accepted = start == ColumnStart::kEmpty;
  if (start != ColumnStart::kReady) return result;
  const double raised = SetWeights(pair, &chart);
  result = SumPanels(pair, chart, cover, &memory->sum, memory->panels, moments);
  AddPlaneFaces(pair, memory->model.box, raised, &memory->sum.panel.section, &chart, moments);
  return result;
}

}  // namespace intervox::cuda::testing
