import type { LoadWork } from '../../../core/loads/ports.ts'
import { finishLoad } from '../../../loader/fleet/finish-load.ts'
import { planFiles } from '../../../loader/fleet/plan-files.ts'
import type { StepDeps } from '../../../loader/fleet/steps.ts'
import { type WorkDeps, workOnFiles } from '../../../loader/fleet/work-on-files.ts'
import type { LoadReport } from '../../../loader/run/load-report.ts'
import type { LoadOrder } from '../../../schema/load-order.ts'
import { testMachine } from '../../builders/test-machine.ts'
import type { TestWarehouse } from '../../builders/test-warehouse.ts'
import { createMemoryLoadWork } from '../../doubles/memory-load-work.ts'

/** The steps of loads by many workers, on a test's warehouse. */
export interface TestFleet {
  readonly work: LoadWork
  readonly deps: StepDeps
  plan(loadId: string, order?: Partial<LoadOrder>, deps?: Partial<StepDeps>): ReturnType<typeof planFiles>
  workOn(loadId: string, worker: string, deps?: Partial<WorkDeps>): ReturnType<typeof workOnFiles>
  finish(loadId: string, deps?: Partial<StepDeps>): Promise<LoadReport>
  /** Runs all three steps, with a number of workers in parallel. */
  load(loadId: string, order: Partial<LoadOrder>, workers: number): Promise<LoadReport>
}

export function createTestFleet(
  { folder, catalogue, contents, records, codeNames }: TestWarehouse,
  now = () => new Date('2026-11-20T09:30:00.123Z'),
): TestFleet {
  let ids = 0
  const work = createMemoryLoadWork()
  const deps: StepDeps = {
    warehouse: folder,
    catalogue,
    contents,
    records,
    codeNames,
    work,
    now,
    newId: () => `fleet${ids++}`,
    machine: testMachine(),
    // A turn of the event loop for each pause.
    waiting: { sleep: () => new Promise((resolve) => setImmediate(resolve)), random: () => 0.5 },
  }
  const fleet: TestFleet = {
    work,
    deps,
    plan: (loadId, order, more = {}) =>
      planFiles(loadId, order && { files: [], allowPrivateAddresses: true, ...order }, { ...deps, ...more }),
    workOn: (loadId, worker, more = {}) => workOnFiles(loadId, { ...deps, worker, ...more }),
    async finish(loadId, more = {}) {
      const report = await finishLoad(loadId, { ...deps, ...more })
      if (report === undefined) throw new Error(`the load ${loadId} was completed before`)
      return report
    },
    async load(loadId, order, workers) {
      await fleet.plan(loadId, order)
      await Promise.all(Array.from({ length: workers }, (_, index) => fleet.workOn(loadId, `w${index}`)))
      return fleet.finish(loadId)
    },
  }
  return fleet
}
