#include "tests/stand_in/sass_instruction.h"

namespace stand_in::sass {

Table MakeTable() {
  Table table = ArithmeticTable();
  for (Table more : {ComparisonTable(), IntegerTable(), MemoryTable(), ControlTable()}) {
    table.merge(more);
  }
  return table;
}

}  // namespace stand_in::sass
