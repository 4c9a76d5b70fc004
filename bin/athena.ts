import { randomUUID } from 'node:crypto'
import { join, resolve } from 'node:path'
import { createS3Objects } from '../adapters/s3/s3-objects.ts'
import { UsageError } from '../client/command-line/command-errors.ts'
import { readOptions } from '../client/command-line/parse-options.ts'
import { startAthena } from '../local/athena/server.ts'
import { makeFolder } from '../local/data-folder/storage-fault.ts'
import { defaultDataFolder } from './command/local-access.ts'
import { readMemory, readPort } from './command/options.ts'
import { printFacts } from './command/output.ts'
import { runCommand, waitForStop } from './command/run-command.ts'

const usage = `
Runs only the local Athena: UNLOAD and SELECT on DuckDB, over the Parquet files in <data>/warehouse.

Usage: npm run athena -- [--data <folder>] [--port <n>] [--output <s3://bucket/prefix/>] [--memory <n>] [--json]

  --data <folder>   the data folder, created if it does not exist (default ${defaultDataFolder})
  --port <n>        the port to listen on; 0, the default, picks a free one
  --output <s3://>  the result location for queries that do not set one
  --memory <n>      memory of queries before they use the disk, in bytes; 500MB and 4GB are understood, too
                    (default: half of the machine's, or of the container's)
  --json            when ready, print one line of JSON: url and warehouse
  --help            print this

Results go to S3, or to the server that AWS_ENDPOINT_URL_S3 (or AWS_ENDPOINT_URL) names. To use this Athena, set
AWS_ENDPOINT_URL_ATHENA to its URL in the client. Ctrl-C stops it.
`

await runCommand(usage, async () => {
  const { values } = readOptions({
    options: {
      data: { type: 'string', default: defaultDataFolder },
      port: { type: 'string', default: '0' },
      output: { type: 'string' },
      memory: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  })
  const stop = waitForStop()
  const port = readPort(values.port)
  const outputLocation = values.output === undefined ? {} : { outputLocation: readLocation(values.output) }
  const warehouse = resolve(join(values.data, 'warehouse'))
  makeFolder(warehouse)
  const objects = createS3Objects()
  const server = await startAthena({
    warehouseFolder: warehouse,
    objects,
    port,
    ...outputLocation,
    ...readMemory(values),
    now: () => new Date(),
    newId: randomUUID,
  })
  if (values.json) printFacts({ url: server.url, warehouse })
  else
    process.stdout.write(`The local Athena is running at ${server.url} over ${warehouse}; press Ctrl-C to stop it.\n`)
  await stop
  await server.close()
  objects.close()
})

function readLocation(text: string): string {
  if (/^s3:\/\/[^/]+(\/|$)/.test(text)) return text
  throw new UsageError(`--output must be s3://bucket/prefix/, not "${text}"`)
}
