import { readOptions, runCommand } from './command.ts'
import { readOutputs, readStageName, requireBootstrap, runCdk } from './deployment.ts'

const usage = `
Deploys a stage of the service into the account and region of the AWS SDK's own settings.

Usage: npm run deploy -- [--stage <name>] [--yes] [--athena <url>] [-- <options of cdk deploy>]

  --stage <name>  a stage of lib/stage.ts (default dev)
  --yes           do not ask before rights are widened
  --athena <url>  address of a local Athena (npm run athena), for an emulator of AWS that has none
  --help          print this
`

await runCommand(usage, async () => {
  const { values, positionals } = readOptions({
    allowPositionals: true,
    options: {
      stage: { type: 'string', default: 'dev' },
      yes: { type: 'boolean', default: false },
      athena: { type: 'string' },
    },
  })
  const stage = readStageName(values.stage)
  await requireBootstrap()
  const approval = values.yes ? 'never' : 'broadening'
  const athena = values.athena === undefined ? [] : ['-c', `athenaEndpoint=${values.athena}`]
  await runCdk(['deploy', '--all', '-c', `stage=${stage}`, ...athena, '--require-approval', approval, ...positionals])
  const { PublicBaseUrl } = await readOutputs(stage)
  process.stdout.write(`
Deployed. Clients find the API at ${PublicBaseUrl}

Next:
  npm run keys -- create-organization "<name>" --stage ${stage}
  npm run keys -- create <organization id> --stage ${stage}
  npm run load -- <in-network file>… --stage ${stage}
  curl -s ${PublicBaseUrl}/v1/fee-schedules -H "Authorization: Bearer <key>"
`)
})
