import { deliveries } from './delivery.ts'
import type { Fault } from './fault.ts'
import { faultNames } from './fault.ts'
import type { FaultyService } from './faulty-service.ts'
import { startFaultyService } from './faulty-service.ts'
import type { CaseResult } from './run-case.ts'
import { runCase } from './run-case.ts'
import { runSigningCase, signingCall } from './run-signing-case.ts'
import type { Scenario } from './scenario.ts'
import { followsTheEnd, scenarios, wholeJob } from './scenario.ts'

/** A call of the table: what makes it, and whether its condition can fail. */
export interface TableRow {
  readonly call: string
  readonly scenario: Scenario
  readonly isConditional: boolean
}

export interface FaultsReport {
  readonly rows: readonly TableRow[]
  readonly results: readonly CaseResult[]
  /** What should not have been, a line each. */
  readonly problems: readonly string[]
}

/** How many cases run at once. */
const casesAtOnce = 12

/** Runs every scenario without a fault, and then once for each of its calls and each fault. */
export async function runFaults(
  columns: readonly Fault[] = faultNames,
  onResult: (result: CaseResult) => void = () => {},
): Promise<FaultsReport> {
  const faulty = await startFaultyService()
  try {
    const whole = await runCase(faulty, wholeJob)
    const signing = await runSigning(faulty, whole, columns)
    const plain = await runAll(
      scenarios.filter((scenario) => scenario !== wholeJob).map((scenario) => () => runCase(faulty, scenario)),
    )
    const rows = listRows([whole, ...plain])
    const cases = rows
      .filter(({ call }) => call !== signingCall)
      .flatMap((row) => columns.filter((fault) => canMeet(row, fault)).map((fault) => [row, fault] as const))
      .map(
        ([{ scenario, call }, fault]) =>
          () =>
            runCase(faulty, scenario, { call, fault }),
      )
    const delivered = deliveries.map((each) => () => runCase(faulty, each.scenario ?? wholeJob, undefined, each))
    const struck = await runAll([...cases, ...delivered], onResult)
    const results = await runAll(
      [whole, ...plain, ...signing, ...struck].map((result) => async () => {
        return { ...result, problems: [...result.problems, ...(await result.again())] }
      }),
    )
    return { rows, results, problems: [...results.flatMap(describeProblems), ...findUncovered(rows, results)] }
  } finally {
    await faulty.close()
  }
}

/** Only a write with a condition can find that it does not hold. */
export const canMeet = ({ isConditional }: TableRow, fault: Fault) => fault !== 'conditional' || isConditional

async function runSigning(faulty: FaultyService, whole: CaseResult, columns: readonly Fault[]): Promise<CaseResult[]> {
  const results: CaseResult[] = []
  for (const fault of columns.filter((each) => each !== 'conditional'))
    results.push(await runSigningCase(faulty, wholeJob, whole.completed, fault))
  return results
}

/** The calls of every scenario; a sweep is one of those that need it, although it looks at all jobs. One that several make is the first one's. */
function listRows(results: readonly CaseResult[]): readonly TableRow[] {
  const rows = new Map<string, TableRow>()
  for (const { scenario, record, sweeps } of results)
    for (const { name, isConditional } of record.calls.values())
      if ((sweeps > 0 || !name.startsWith('sweep-searches')) && !rows.has(name))
        rows.set(name, { call: name, scenario, isConditional })
  return [...rows.values()]
}

/** What stands behind a case, for who reads what came of it. */
export function describeCase({ scenario, fault, delivery }: CaseResult): string {
  return fault === undefined ? (delivery.name ?? scenario.name) : `${fault.call} ${fault.fault}`
}

function describeProblems(result: CaseResult): readonly string[] {
  return result.problems.map((problem) => `${describeCase(result)}: ${problem}`)
}

/** A call that was made and is not in the table: nobody knows what its faults would do. */
function findUncovered(rows: readonly TableRow[], results: readonly CaseResult[]): readonly string[] {
  const known = new Set(rows.map(({ call }) => call))
  const made = new Set(results.flatMap(({ record }) => [...record.calls.keys()]))
  return [...made]
    .filter((call) => !known.has(call) && !followsTheEnd(call))
    .map((call) => `${call} is made, and in no row`)
}

/** Runs all, some at a time, and gives the results in the order of the tasks. */
async function runAll<Result>(
  tasks: readonly (() => Promise<Result>)[],
  onResult: (result: Result) => void = () => {},
): Promise<Result[]> {
  const results: Result[] = []
  const left = tasks.entries()
  const work = async () => {
    for (const [index, task] of left) {
      const result = await task()
      results[index] = result
      onResult(result)
    }
  }
  await Promise.all(Array.from({ length: casesAtOnce }, work))
  return results
}
