import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createS3Objects } from '../adapters/s3-objects.ts'
import { startAthena } from '../local/athena/endpoint.ts'

const usage = `Runs the local Athena by itself: UNLOAD and SELECT on DuckDB, over the Parquet files in <data>/warehouse.

Usage: npm run athena -- [--data <folder>] [--port <n>] [--output <s3://bucket/prefix/>] [--json]

  --data <folder>   the data folder (default .data)
  --port <n>        the port to listen on; 0, the default, picks a free one
  --output <s3://>  the result location of queries that name none
  --json            print the address as JSON
  --help            print this

Results go to S3, or to what AWS_ENDPOINT_URL_S3 (or AWS_ENDPOINT_URL) stands in for it. Clients reach this one by
AWS_ENDPOINT_URL_ATHENA. Ctrl-C ends it.
`

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      data: { type: 'string', default: '.data' },
      port: { type: 'string', default: '0' },
      output: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(usage)
    return
  }
  const warehouseFolder = join(values.data, 'warehouse')
  const objects = createS3Objects()
  const server = await startAthena({
    warehouseFolder,
    objects,
    port: readPort(values.port),
    ...(values.output !== undefined && { outputLocation: readLocation(values.output) }),
    now: () => new Date(),
    newId: randomUUID,
  })
  process.stdout.write(
    values.json
      ? `${JSON.stringify({ url: server.url, warehouse: warehouseFolder })}\n`
      : `The local Athena listens on ${server.url} over ${warehouseFolder}; Ctrl-C ends it.\n`,
  )
  const end = () => server.close().then(() => objects.close())
  process.once('SIGINT', end).once('SIGTERM', end)
}

function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new BadArgument(`--port must be a number from 0 to 65535, not ${text}`)
}

function readLocation(text: string): string {
  if (/^s3:\/\/[^/]+(\/|$)/.test(text)) return text
  throw new BadArgument(`--output must be s3://bucket/prefix/, not ${text}`)
}

/** An argument that cannot be meant; parseArgs throws errors of its own, which it marks by their code. */
class BadArgument extends Error {}

function isBadArgument(error: Error): boolean {
  return error instanceof BadArgument || ('code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))
}

try {
  await main()
} catch (error) {
  const { message } = error instanceof Error ? error : new Error(String(error))
  process.stderr.write(`athena: ${message.split('\n')[0]}\n`)
  process.exitCode = error instanceof Error && isBadArgument(error) ? 2 : 1
}
