import { describeReport } from '../loader/load-report.ts'
import { readOptions, runCommand, UsageError } from './command.ts'
import { defaultDataFolder, withLocalService } from './local-service.ts'
import { loadInto } from './seed.ts'

const usage = `
Loads CMS in-network files into the local warehouse. The files of one command together become the content of the fee
schedules that they name, in place of what counted before.

Usage: npm run load -- <in-network file>… [--payer <name>] [--plan <name>] [--data <folder>]

  --payer <name>   the payer (default: the file's issuer, else its reporting entity)
  --plan <name>    the plan (default: the file's plan name; a file without one is refused)
  --data <folder>  the data folder of the local service, running or not (default ${defaultDataFolder})
  --help           print this
`

await runCommand(usage, async () => {
  const { values, positionals } = readOptions({
    allowPositionals: true,
    options: {
      payer: { type: 'string' },
      plan: { type: 'string' },
      data: { type: 'string', default: defaultDataFolder },
    },
  })
  if (positionals.length === 0) throw new UsageError('name at least one in-network file')
  await withLocalService(values.data, async (service) => {
    const report = await loadInto(
      service,
      { files: positionals, payer: values.payer, plan: values.plan },
      (progress) => {
        if (progress.step === 'reading')
          process.stderr.write(`reading ${progress.file} (${progress.index} of ${progress.of})\n`)
      },
    )
    process.stdout.write(`${describeReport(report).trimEnd()}\n`)
  })
})
