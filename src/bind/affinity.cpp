#include "bind/affinity.h"

#include <algorithm>
#include <cmath>

#include "bind/slot_system.h"
#include "isochor/base/parallel.h"

namespace isochor {

void find_affinities(VertexSlots& slots) {
  slots.affinity.assign(slots.distance.size(), 0.0f);
  for (std::size_t v = 0; v < slots.vertex_count(); ++v) {
    const std::size_t first = v * slots.stride;
    std::size_t used = 0;
    while (used < slots.stride && slots.handle[first + used] != kNone) ++used;
    if (used == 0) continue;
    const float far = slots.distance[first + used - 1];
    for (std::size_t i = 0; i < used; ++i) slots.affinity[first + i] = std::log(far / slots.distance[first + i]);
  }
}

void diffuse_affinities(const DiffusionTask& task, VertexSlots& slots, const Context& context) {
  const std::size_t n = slots.vertex_count(), stride = slots.stride;
  const std::vector<Index> order = canonical_order(task.surface.positions);
  std::vector<Vec3> positions(n);
  std::vector<double> length(n);
  SlotValues values{stride, std::vector<Index>(n * stride), std::vector<float>(n * stride)};
  for (std::size_t i = 0; i < n; ++i) {
    const auto v = static_cast<std::size_t>(order[i]);
    positions[i] = task.grid.to_grid(task.surface.positions[v]);
    length[i] = task.length * slots.distance[v * stride];
    std::copy_n(&slots.handle[v * stride], stride, &values.handle[i * stride]);
    std::copy_n(&slots.affinity[v * stride], stride, &values.value[i * stride]);
  }
  diffuse(surface_graph(task.surface, order, std::move(positions), length), values, context);
  for (std::size_t i = 0; i < n; ++i) {
    std::copy_n(&values.value[i * stride], stride, &slots.affinity[static_cast<std::size_t>(order[i]) * stride]);
  }
}

void sort_slots(VertexSlots& slots, const Context& context) {
  struct Slot {
    Index handle;
    float distance, affinity;
  };
  parallel_for(context, slots.vertex_count(), 1024, [&](Range range) {
    std::vector<Slot> row;
    for (std::size_t v = range.begin; v < range.end; ++v) {
      row.clear();
      for (std::size_t i = v * slots.stride; i < (v + 1) * slots.stride && slots.handle[i] != kNone; ++i) {
        row.push_back({slots.handle[i], slots.distance[i], slots.affinity[i]});
      }
      std::sort(row.begin(), row.end(), [](const Slot& a, const Slot& b) {
        return a.affinity != b.affinity ? a.affinity > b.affinity : a.handle < b.handle;
      });
      for (std::size_t i = 0; i < row.size(); ++i) {
        slots.handle[v * slots.stride + i] = row[i].handle;
        slots.distance[v * slots.stride + i] = row[i].distance;
        slots.affinity[v * slots.stride + i] = row[i].affinity;
      }
    }
  });
}

}  // namespace isochor
