import fc from 'fast-check'
import { Client } from './client.ts'
import { anyCommands } from './commands.ts'
import { type Reintroduced, ServiceUnderTest } from './service-under-test.ts'

/** Time that a run of the model searches. @default - as long as a test may take */
export interface Extent {
  readonly numRuns: number
  readonly seed?: number
  /** True to stop at the first failure instead of shrinking it. */
  readonly endOnFailure?: boolean
}

/** The number of runs: `MODEL_RUNS`, or the default. */
export function runsOf(defaultRuns: number): number {
  return Number(process.env['MODEL_RUNS'] ?? defaultRuns)
}

/** Runs commands sequentially, each to its end. */
export async function runInTurn(reintroduced: Reintroduced, extent: Extent): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.commands([...anyCommands], { maxCommands: 60, size: '+2' }), async (commands) => {
      const client = new Client(new ServiceUnderTest(reintroduced))
      await fc.asyncModelRun(() => ({ model: client.model, real: client }), commands)
      await client.settle()
    }),
    extent,
  )
}

/** Runs commands concurrently: a scheduler chooses which call of a port is carried out next. */
export async function runAtOnce(reintroduced: Reintroduced, extent: Extent): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.commands([...anyCommands], { maxCommands: 40, size: '+2' }),
      async (scheduler, commands) => {
        const client = new Client(new ServiceUnderTest(reintroduced, scheduler))
        await fc.scheduledModelRun(scheduler, () => ({ model: client.model, real: client }), commands)
        await scheduler.waitFor(client.service.waitForAll())
        await client.settle()
      },
    ),
    extent,
  )
}
