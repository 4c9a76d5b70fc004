import { createExecutions } from '../../adapters/sfn-executions.ts'
import { CommandFailed, UsageError } from '../../client/command-line/command-errors.ts'
import { formatTimestamp } from '../../core/time.ts'
import type { Answer } from '../command/output.ts'
import { formatList } from '../command/table.ts'
import { type Outputs, requireOutput } from '../stacks/deployment.ts'

/** States of executions that can be listed; `broken` are all that ended without their own answer. */
const listedStates = {
  running: ['RUNNING'],
  broken: ['FAILED', 'TIMED_OUT', 'ABORTED'],
} as const

const maxListed = 20
const maxEvents = 10

/** Longest detail of an event that is printed, in characters. */
const maxDetail = 500

/**
 * Lists the executions of searches, and of loads on AWS, in a state.
 *
 * @param state `running` or `broken`
 * @throws UsageError for any other state
 */
export async function listExecutions(outputs: Outputs, state: string): Promise<Answer> {
  if (state !== 'running' && state !== 'broken')
    throw new UsageError(`--executions must be running or broken, not "${state}"`)
  const workflows = [
    ['search', requireOutput(outputs, 'SearchesStateMachine')],
    ...(outputs['LoadsStateMachine'] === undefined ? [] : [['load', outputs['LoadsStateMachine']]]),
  ] as const
  const lists = await Promise.all(
    workflows.flatMap(([of, arn]) =>
      listedStates[state].map(async (status) =>
        (await createExecutions(arn).list(status, maxListed)).map((each) => ({ of, ended: status, ...each })),
      ),
    ),
  )
  const executions = lists.flat().toSorted((a, b) => b.startedAt.getTime() - a.startedAt.getTime())
  const rows = executions.map(({ of, ended, name, startedAt }) => ({
    of,
    execution: name,
    state: ended.toLowerCase(),
    started: formatTimestamp(startedAt),
  }))
  return { facts: { executions }, text: formatList(rows, `no ${state} executions`), wrote: false }
}

/**
 * Shows the last events of one execution, with their errors and outputs.
 *
 * @param name as `listExecutions` shows it
 * @throws CommandFailed if there is no such execution
 */
export async function showExecution(outputs: Outputs, name: string): Promise<Answer> {
  const arns = [requireOutput(outputs, 'SearchesStateMachine'), outputs['LoadsStateMachine']]
  for (const arn of arns) {
    if (arn === undefined) continue
    const events = await createExecutions(arn)
      .readLastEvents(name, maxEvents)
      .catch((error: unknown) => {
        if (error instanceof Error && error.name === 'ExecutionDoesNotExist') return undefined
        throw error
      })
    if (events === undefined) continue
    const lines = events.map(({ at, type, detail }) => `${formatTimestamp(at)}  ${type}  ${detail.slice(0, maxDetail)}`)
    return { facts: { execution: name, events }, text: lines.join('\n'), wrote: false }
  }
  throw new CommandFailed(`there is no execution ${name}: npm run status -- --executions running lists some`)
}
