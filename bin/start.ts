import { resolve } from 'node:path'
import { readOptions } from '../client/command-line/parse-options.ts'
import { createSignIn, type SignIn } from '../local/api-gateway/sign-in.ts'
import { firstSearch } from '../local/samples/sample-data.ts'
import { addSignInToken } from '../page/address/sign-in-link.ts'
import { writeDraftLink } from '../page/form/draft-link.ts'
import { describeArguments, quoteWord, repeatInstallation } from './command/cli-arguments.ts'
import { defaultDataFolder } from './command/local-access.ts'
import { readMemory, readPort } from './command/options.ts'
import { runCommand, waitForStop } from './command/run-command.ts'
import type { DemoOrganization } from './samples/seed.ts'
import { startSeededService } from './samples/seeded-service.ts'

const usage = `
Runs the whole service on this machine until it is stopped with Ctrl-C.

Usage: npm start -- [--port <n>] [--data <folder>] [--memory <n>] [--json]

  --port <n>       port of the API; 0 picks a free one (default 3000)
  --data <folder>  folder for tables, results, warehouse and keys (default ${defaultDataFolder})
  --memory <n>     memory of searches before they use the disk, in bytes; 500MB and 4GB are understood, too
                   (default: half of the machine's, or of the container's)
  --json           when ready, print one line of JSON: base_url and the demo organizations with their keys
  --help           print this
`

await runCommand(usage, async () => {
  const { values } = readOptions({
    options: {
      port: { type: 'string', default: '3000' },
      data: { type: 'string', default: defaultDataFolder },
      memory: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  })
  const stop = waitForStop()
  const signIn = createSignIn()
  const { service, organizations } = await startSeededService(values.data, readPort(values.port), {
    signIn,
    ...readMemory(values),
  })
  try {
    const ready = values.json
      ? `${JSON.stringify({ base_url: service.baseUrl, organizations })}\n`
      : describeSession(service.baseUrl, organizations, resolve(values.data), signIn)
    process.stdout.write(repeatInstallation(ready))
    await stop
  } finally {
    await service.close()
  }
})

function describeSession(
  baseUrl: string,
  organizations: readonly DemoOrganization[],
  dataFolder: string,
  signIn: SignIn,
): string {
  const [first] = organizations
  if (first === undefined)
    return `The service is running at ${baseUrl} (data in ${dataFolder}; press Ctrl-C to stop it).

Clients need an API key. In another terminal, list the organizations, or create one and a key for it:

  npm run keys -- list
  npm run keys -- create-organization <name>
  npm run keys -- create <organization id>
`
  const keys = organizations.map(({ id, api_key }) => `  organization ${id}  key ${api_key}`).join('\n')
  return `The service is running at ${baseUrl} (data in ${dataFolder}; press Ctrl-C to stop it).

${keys}

Two organizations show that each can open only its own searches. To search in the browser, open this page. It has a search
filled in, and signs in the first organization, once; later, enter the key:

  ${baseUrl}/${addSignInToken(writeDraftLink(firstSearch), signIn.offer(first.api_key))}

Or paste this into another terminal:

  export RATE_SEARCH_URL=${baseUrl} RATE_SEARCH_KEY=${first.api_key}
  npm run rate-search --silent -- fee-schedules
  npm run search --silent -- ${describeArguments(firstSearch).map(quoteWord).join(' ')} --out rates/

The same with curl:

  curl -si $RATE_SEARCH_URL/v1/searches -H "Authorization: Bearer $RATE_SEARCH_KEY" -H 'Content-Type: application/json' \\
    -d '${JSON.stringify(firstSearch)}'
  curl -s "$RATE_SEARCH_URL/v1/searches/<job_id>?wait=20" -H "Authorization: Bearer $RATE_SEARCH_KEY"    # repeat until completed
  curl -s "$RATE_SEARCH_URL/v1/searches/<job_id>/rows?format=csv" -H "Authorization: Bearer $RATE_SEARCH_KEY"   # up to 100 rows
  curl -sOJ '<each of download_urls>'                        # no header: the URL is the permission
`
}
