import type { CatalogueEntry } from '../../../core/catalogue/catalogue-entry.ts'
import type { LoadReport } from '../../../loader/run/load-report.ts'
import type { TestWarehouse } from '../../builders/test-warehouse.ts'

/** Describes a report without the ids and times, which differ between any two loads. */
export function describeReport({ files, switched, leftOut, removed, ...report }: LoadReport) {
  return {
    takenOver: report.takenOver,
    unchanged: report.unchanged,
    files: files.map(({ sourceId: _, ...file }) => file),
    switched: switched.map(describeEntry).sort(),
    leftOut,
    removed: removed.map(({ payer, plan }) => `${payer} / ${plan}`).sort(),
  }
}

function describeEntry({ payer, plan, state }: CatalogueEntry): string {
  const shown = state.status === 'active' ? [state.sourceCount, state.partial, state.planIds, state.lastUpdatedOn] : []
  return JSON.stringify([payer, plan, state.status, ...shown])
}

/** Reads everything that a load has stored, without ids. */
export const inspect = async (warehouse: TestWarehouse) => ({
  entries: [...warehouse.catalogue.entries.values()].map(describeEntry).sort(),
  rows: await warehouse.readRates(),
  records: (await warehouse.records.list()).map(({ state, from, counts, leftOut }) => ({
    state,
    from,
    counts,
    leftOut,
  })),
  workspaces: await warehouse.listWorkspaces(),
  openLoads: await warehouse.records.listOpen(),
})
