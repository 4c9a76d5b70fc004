import fc from 'fast-check'
import { Client } from './client.ts'
import { anyCommands } from './commands.ts'
import type { Reintroduced } from './service-under-test.ts'
import { ServiceUnderTest } from './service-under-test.ts'

/** How far a run of the model goes: by default as far as a test may take. */
export interface Extent {
  readonly numRuns: number
  readonly seed?: number
  /** Whether the first failure will do; otherwise the smallest one is looked for. */
  readonly endOnFailure?: boolean
}

/** How many runs each kind gets; set MODEL_RUNS for a long search. */
export function runsOf(usual: number): number {
  return Number(process.env['MODEL_RUNS'] ?? usual)
}

/** Carries commands out one after the other, each to its end. */
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

/** Carries commands out while those before are under way: a scheduler chooses which call of a port is next. */
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
