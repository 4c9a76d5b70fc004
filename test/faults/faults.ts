import { runCommand } from '../../bin/command/run-command.ts'
import { CommandFailed } from '../../client/command-line/command-errors.ts'
import { readOptions } from '../../client/command-line/parse-options.ts'
import { describeDeliveries, describeTable } from './describe-report.ts'
import { describeCase, runFaults } from './run-faults.ts'

const usage = `
Starts a local service, runs jobs with each fault in each of their SDK calls, and prints how they ended.

Usage: npm run faults

Exit code: 1 if a job ended in a wrong way, or no case covers a call that was made.
`

await runCommand(usage, async () => {
  readOptions({ options: {} })
  const started = Date.now()
  const report = await runFaults(undefined, (result) => {
    for (const problem of result.problems)
      process.stderr.write(`${describeCase(result)}: ${problem} (${result.ms} ms)\n`)
  })
  process.stdout.write(`${describeTable(report)}\n${describeDeliveries(report)}`)
  const seconds = Math.round((Date.now() - started) / 1000)
  process.stdout.write(`\n${report.rows.length} calls, ${report.results.length} jobs, ${seconds} s\n`)
  if (report.problems.length > 0) throw new CommandFailed(report.problems.join('\n'))
})
