import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startLocalService } from '../bin/command/local-service.ts'
import { seedOnce } from '../bin/command/seed.ts'
import { formatTable } from '../bin/command/table.ts'
import { RateSearchClient } from '../client/rate-search-client.ts'
import { smallSearch } from '../local/samples/sample-data.ts'
import { quantile } from './statistics.ts'

const rounds = 40

/** The functions that the workflow of a search calls. */
const stepNames = ['StartQuery', 'AwaitQuery', 'PublishResults']

/** Price of a million Step Functions transitions in us-east-1, in dollars. */
const dollarsATransition = 25

/** A service, with the measurements of its searches. */
interface Contender extends AsyncDisposable {
  readonly name: string
  readonly times: number[]
  readonly steps: () => number
  runSearch(): Promise<void>
}

/**
 * Compares a service whose start-query waits for short queries with one whose start-query hands each query over to
 * await-query at once: milliseconds from POST to completed, and Step Functions transitions. Both run at the same time
 * and get their searches in turn.
 */
export async function benchSteps(): Promise<void> {
  await using waiting = await startContender('start-query waits', {})
  await using handingOver = await startContender('start-query hands over', { QUERY_WAIT_MS: '0' })
  const contenders = [waiting, handingOver]
  for (let round = 0; round < rounds; round++) for (const contender of contenders) await contender.runSearch()
  const rows = contenders.map(({ name, times, steps }) => {
    // Each step is followed by a choice, and the execution by the end state.
    const transitions = 2 * (steps() / times.length) + 1
    return {
      service: name,
      'p50 ms': Math.round(quantile(times, 0.5)),
      'p90 ms': Math.round(quantile(times, 0.9)),
      transitions,
      '$ a million (transitions)': transitions * dollarsATransition,
    }
  })
  const columns = ['service', 'p50 ms', 'p90 ms', 'transitions', '$ a million (transitions)']
  process.stdout.write(`POST to completed, ${rounds} searches each\n\n${formatTable(columns, rows)}\n`)
}

async function startContender(name: string, variables: Readonly<Record<string, string>>): Promise<Contender> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-steps-'))
  let steps = 0
  const service = await startLocalService(folder, 0, {
    variables: (functionName) => (functionName === 'StartQuery' ? variables : {}),
    onInvocation: ({ functionName }) => {
      if (stepNames.includes(functionName)) steps += 1
    },
  })
  const [organization] = await seedOnce(service, folder)
  const apiKey = organization?.api_key ?? ''
  const client = new RateSearchClient({ url: service.baseUrl, key: apiKey })
  const times: number[] = []
  const runSearch = async () => {
    const started = performance.now()
    const { job_id } = await client.create(smallSearch)
    await client.waitFor(job_id, { pollSeconds: 0.02 })
    times.push(performance.now() - started)
  }
  // Starts the functions. The service's clients read their endpoints now, before another service changes them.
  await runSearch()
  times.length = 0
  steps = 0
  return {
    name,
    times,
    steps: () => steps,
    runSearch,
    [Symbol.asyncDispose]: async () => {
      await service.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
