import { CommandFailed } from '../../bin/command/errors.ts'
import { readOptions } from '../../bin/command/options.ts'
import { runCommand } from '../../bin/command/run-command.ts'
import { describeDeliveries, describeTable } from './describe-report.ts'
import { describeCase, runFaults } from './run-faults.ts'

const usage = `
Starts a local service, runs whole jobs while each of their SDK calls meets each fault, and prints how they ended.

Usage: npm run faults

Ends with 1 where a job did not end as it must, or a call was made that no case covers.
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
