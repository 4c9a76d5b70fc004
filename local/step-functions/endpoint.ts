import type { LocalEndpoint } from '../endpoint.ts'
import type { Peers, ServiceEvent } from '../peers.ts'
import type { Execution } from './executions.ts'
import { startStepFunctions } from './server.ts'
import { readStateMachines } from './state-machine.ts'

/** Step Functions, with the state machines of the stack. EventBridge gets the end of each execution. */
export const stepFunctionsEndpoint: LocalEndpoint = {
  start: async ({ now, observe }) => {
    const ready = Promise.withResolvers<Peers['publish']>()
    const announceEnd = async (execution: Execution) => (await ready.promise)(describeEnd(execution))
    const server = await startStepFunctions({
      now,
      // A target that fails does not concern the execution.
      onEnd: (execution) => void announceEnd(execution).catch(() => {}),
    })
    return {
      environment: { AWS_ENDPOINT_URL_SFN: await observe('states', server.url) },
      begin: async ({ template, peers, work }) => {
        server.serve(readStateMachines(template, peers.functions.invoke, peers.runJob))
        // Stopped before the functions: running executions would treat their end as a crash and retry.
        work.defer(async () => server.stopExecutions())
        ready.resolve(peers.publish)
      },
      close: server.close,
    }
  },
}

/** Source: Step Functions Developer Guide, "Execution status change events". */
function describeEnd(execution: Execution): ServiceEvent {
  const { output, error, cause, stopDate } = execution
  const detail = {
    ...execution,
    stopDate: stopDate ?? null,
    output: output ?? null,
    error: error ?? null,
    cause: cause ?? null,
    inputDetails: { included: true },
    outputDetails: output === undefined ? null : { included: true },
  }
  return { source: 'aws.states', detail }
}
