import { UsageError } from './command/errors.ts'
import { readOptions } from './command/options.ts'
import { printAnswer } from './command/output.ts'
import { runCommand } from './command/run-command.ts'
import {
  findStage,
  readOutputs,
  readStageName,
  requireBootstrap,
  requireConsent,
  requireResultsBucket,
  runCdk,
} from './deployment.ts'
import { createQueryResults, emulatorStage, readEmulatorContext } from './emulator.ts'

const usage = `
Deploys a stage of the service into the account and region of the AWS SDK's own settings.

Usage: npm run deploy -- [--stage <name>] [--yes] [--athena <url>] [--json] [-- <options of cdk deploy>]

  --stage <name>  a stage of lib/stage.ts (default dev)
  --yes           do not ask before rights are widened; required without a terminal
  --athena <url>  address of a local Athena (npm run athena); for the stage emulator only, which needs it
  --json          print one line of JSON: the stage and the outputs of its stack
  --help          print this
`

await runCommand(usage, async () => {
  const { values, positionals } = readOptions({
    allowPositionals: true,
    options: {
      stage: { type: 'string', default: 'dev' },
      yes: { type: 'boolean', default: false },
      athena: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  })
  const stage = readStageName(values.stage)
  const isEmulated = stage === emulatorStage.name
  if (!isEmulated && values.athena !== undefined)
    throw new UsageError(`--athena is for the stage ${emulatorStage.name}: AWS has an Athena of its own`)
  const context = isEmulated ? readEmulatorContext(values.athena) : []
  requireConsent('deploy', values.yes)
  await requireBootstrap()
  if (isEmulated) await createQueryResults()
  const queryResults = findStage(stage)?.warehouse?.queryResults
  if (queryResults !== undefined) await requireResultsBucket(queryResults)
  const approval = values.yes ? 'never' : 'broadening'
  await runCdk(['deploy', '--all', '-c', `stage=${stage}`, ...context, '--require-approval', approval, ...positionals])
  const outputs = await readOutputs(stage)
  const { PublicBaseUrl } = outputs
  const text = `Deployed. Clients find the API at ${PublicBaseUrl}

Next:
  npm run keys -- create-organization "<name>" --stage ${stage}
  npm run keys -- create <organization id> --stage ${stage}
  npm run load -- <in-network file>… --stage ${stage}
  curl -s ${PublicBaseUrl}/v1/fee-schedules -H "Authorization: Bearer <key>"`
  printAnswer({ facts: { baseUrl: PublicBaseUrl, outputs }, text, wrote: true }, { stage }, values.json)
})
