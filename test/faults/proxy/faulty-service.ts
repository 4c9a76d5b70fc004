import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FunctionDefinition } from '../../../local/lambda/function-definition.ts'
import { type SampleService, startSampleService } from '../../harness/sample-service.ts'
import { waitForQueries } from '../../local/query-wait.ts'
import { FaultProxy } from './fault-proxy.ts'

/** A running service whose every SDK call can be made to fail. */
export interface FaultyService extends SampleService {
  readonly proxy: FaultProxy
}

/** Long enough that a busy machine causes no time-outs: only calls that are held time out, and those immediately. */
const allowTime = (definition: FunctionDefinition) => ({
  ...definition,
  timeoutSeconds: Math.max(definition.timeoutSeconds, 60),
})

/** Enough slots for calls that wait: a case that keeps one must not keep others from waiting. */
const addWaitSlots = (definition: FunctionDefinition) =>
  definition.name === 'GetSearch'
    ? { ...definition, environment: { ...definition.environment, WAIT_SLOTS: '1000' } }
    : definition

/**
 * Starts a separate service on a new data folder with the sample data.
 *
 * @param queryWaitMs how long start-query waits for its query itself; queries end within seconds on this machine
 */
export async function startFaultyService(queryWaitMs: number): Promise<FaultyService> {
  const folder = mkdtempSync(join(tmpdir(), 'faults-'))
  const proxy = new FaultProxy()
  const sample = await startSampleService(folder, {
    observe: proxy.standBefore,
    onInvocation: proxy.noteInvocation,
    adjust: (definition) => addWaitSlots(allowTime(waitForQueries(queryWaitMs)(definition))),
  })
  proxy.endInvocation = sample.service.endInvocation
  return {
    ...sample,
    proxy,
    close: async () => {
      await sample.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
