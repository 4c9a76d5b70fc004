import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RunningServer } from '../http-server.ts'
import { closeToBrowsers, listen, readBody } from '../http-server.ts'
import { startEngine } from './engine.ts'
import { InvalidRequest } from './faults.ts'
import type { Body, Operation } from './operations.ts'
import { athenaOperations, isBody } from './operations.ts'
import { Queries } from './queries.ts'
import type { ObjectStore } from './unload.ts'

export interface AthenaOptions {
  /** The folder that the relations are below: `<table>/source_id=<id>/*.parquet`. It need not exist yet. */
  readonly warehouseFolder: string
  /** Where results and manifests go. */
  readonly objects: ObjectStore
  /** The result location of queries that name none, `s3://bucket/prefix/`: on AWS the workgroup has it. */
  readonly outputLocation?: string
  /** Of this Athena alone: what is in it goes. @default - a new temporary one, which a kill leaves behind */
  readonly scratchFolder?: string
  /** 0, the default, picks a free one. */
  readonly port?: number
  readonly now: () => Date
  /** Makes UUIDs. */
  readonly newId: () => string
  /**
   * How many queries run at the same time; the others are QUEUED. Each holds one of the four threads of Node's pool
   * (UV_THREADPOOL_SIZE), so the default, 3, leaves one for the files of everything else in the process.
   */
  readonly queriesAtOnce?: number
  /** Rows that go into one file of an UNLOAD before the next one is begun. */
  readonly rowsPerFile?: number
  /** How many files an UNLOAD writes at most. */
  readonly filesPerQuery?: number
  /** The most bytes of files that a query may have to read; over it it is CANCELLED, as by a workgroup's limit. */
  readonly dataLimitBytes?: number
  /** How many ended queries are remembered; Athena remembers them for 45 days. @default 1,000 */
  readonly remembered?: number
}

/**
 * Starts a local Athena: StartQueryExecution, GetQueryExecution, StopQueryExecution and GetQueryResults in Athena's own
 * protocol (JSON 1.1), on DuckDB over Parquet files. What it does not do is in `local/SUPPORTED.md`. The history of
 * queries is in memory, has an end, and is gone with the process.
 *
 * @throws PortInUse
 */
export async function startAthena(options: AthenaOptions): Promise<RunningServer> {
  const {
    rowsPerFile = 1000,
    filesPerQuery = 4,
    queriesAtOnce = 3,
    dataLimitBytes = Number.POSITIVE_INFINITY,
    remembered = 1000,
  } = options
  const engine = await startEngine({ ...options, dataLimitBytes, cut: { rowsPerFile, filesPerQuery } })
  const queries = new Queries({ ...options, engine, atOnce: queriesAtOnce, remembered })
  const operations = athenaOperations(queries, options.outputLocation)
  const close = async () => {
    await queries.close()
    await engine.close()
  }
  try {
    const listener = closeToBrowsers((request, response) => serve(request, response, operations, options.newId))
    const server = await listen(listener, options.port)
    return { url: server.url, close: () => Promise.all([server.close(), close()]).then(() => undefined) }
  } catch (error) {
    await close()
    throw error
  }
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  operations: ReadonlyMap<string, Operation>,
  newId: () => string,
): Promise<void> {
  const { status, body } = await answer(request, operations).then((body) => ({ status: 200, body }), describeError)
  response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.1', 'x-amzn-RequestId': newId() })
  response.end(JSON.stringify(body))
}

async function answer(request: IncomingMessage, operations: ReadonlyMap<string, Operation>): Promise<object> {
  const body = await readBody(request)
  const target = request.headers['x-amz-target']
  const operation = operations.get(String(target).replace(/^AmazonAthena\./, ''))
  if (operation === undefined) throw new InvalidRequest(`The local Athena does not support ${target ?? 'this call'}`)
  if (body === undefined) throw new InvalidRequest('The body is too long')
  return operation(parseBody(body))
}

function parseBody(bytes: Buffer): Body {
  const refusal = new InvalidRequest('The body must be a JSON object')
  try {
    const body: unknown = JSON.parse(bytes.toString())
    if (isBody(body)) return body
  } catch {
    throw refusal
  }
  throw refusal
}

function describeError(error: unknown) {
  if (error instanceof InvalidRequest)
    return { status: 400, body: { __type: error.name, Message: error.message, AthenaErrorCode: error.code } }
  return { status: 500, body: { __type: 'InternalServerException', Message: String(error) } }
}
