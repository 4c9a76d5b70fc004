import type { Fault } from './fault.ts'
import { faultNames } from './fault.ts'
import type { FaultyService } from './faulty-service.ts'
import { startFaultyService } from './faulty-service.ts'
import type { CaseResult } from './run-case.ts'
import { runCase } from './run-case.ts'
import type { Scenario } from './scenario.ts'
import { scenarios } from './scenario.ts'

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
const casesAtOnce = 16

/** Runs every scenario without a fault, and then once for each of its calls and each fault. */
export async function runFaults(
  columns: readonly Fault[] = faultNames,
  onResult: (result: CaseResult) => void = () => {},
): Promise<FaultsReport> {
  const faulty = await startFaultyService()
  try {
    const { rows, results } = await recordCalls(faulty)
    const cases = rows.flatMap(({ call, scenario, isConditional }) =>
      columns
        .filter((fault) => fault !== 'conditional' || isConditional)
        .map((fault) => () => runCase(faulty, scenario, { call, fault })),
    )
    results.push(...(await runAll(cases, onResult)))
    const changed = await runAll(
      results.map((result) => async () => ({ ...result, problems: [...result.problems, ...(await result.again())] })),
    )
    return { rows, results: changed, problems: [...changed.flatMap(describeProblems), ...findUncovered(rows, changed)] }
  } finally {
    await faulty.close()
  }
}

async function recordCalls(faulty: FaultyService): Promise<{ rows: TableRow[]; results: CaseResult[] }> {
  const rows: TableRow[] = []
  const results: CaseResult[] = []
  for (const scenario of scenarios) {
    const result = await runCase(faulty, scenario)
    results.push(result)
    for (const { name, isConditional } of result.record.calls.values())
      if (!rows.some(({ call }) => call === name)) rows.push({ call: name, scenario, isConditional })
  }
  return { rows, results }
}

function describeProblems({ scenario, fault, problems }: CaseResult): readonly string[] {
  return problems.map((problem) => `${scenario.name}, ${fault?.call} ${fault?.fault}: ${problem}`)
}

/** A call that was made and is not in the table: nobody knows what its faults would do. */
function findUncovered(rows: readonly TableRow[], results: readonly CaseResult[]): readonly string[] {
  const known = new Set(rows.map(({ call }) => call))
  const made = new Set(results.flatMap(({ record }) => [...record.calls.keys()]))
  return [...made].filter((call) => !known.has(call)).map((call) => `${call} is made, and in no row`)
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
