import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { catalog, runOnTrino } from './run-on-trino.ts'

/** A real Trino over the files of one folder. */
export interface TrinoServer extends AsyncDisposable {
  readonly url: string
  /** SQL refers to its files as `local:///…`. */
  readonly folder: string
}

/** Longest start of a server, in milliseconds; it takes seven seconds on an idle machine. */
const maxStartMs = 180_000

/**
 * @param home the unpacked `trino-server` (test/trino/install.sh)
 * @param java the `java` executable; Trino 476 requires Java 24 or later
 */
export async function startTrino(home: string, java: string): Promise<TrinoServer> {
  const running = new AsyncDisposableStack()
  const root = await mkdtemp(join(tmpdir(), 'trino-'))
  running.defer(() => rm(root, { recursive: true, force: true }))
  const port = await findFreePort()
  const folder = join(root, 'files')
  await configure(root, folder, port)

  const args = [
    ...[
      '-Xmx1500M',
      '-XX:+ExitOnOutOfMemoryError',
      '-Djdk.attach.allowAttachSelf=true',
      '--sun-misc-unsafe-memory-access=allow',
    ],
    ...['--enable-native-access=ALL-UNNAMED'],
    `-Dnode.id=test`,
    `-Dnode.environment=test`,
    `-Dnode.data-dir=${root}/data`,
    `-Dplugin.dir=${home}/plugin`,
    `-Dconfig=${root}/etc/config.properties`,
    `-Dcatalog.config-dir=${root}/etc/catalog`,
    ...['-cp', `${home}/lib/*`, 'io.trino.server.TrinoServer'],
  ]
  const child = spawn(java, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (output = `${output}${chunk}`.slice(-2000)))
  let ended = false
  const exit = once(child, 'exit').then(() => (ended = true))
  running.defer(async () => {
    child.kill('SIGKILL')
    await exit
  })

  const url = `http://127.0.0.1:${port}`
  const started = Date.now()
  while (!(await isReady(url))) {
    if (ended || Date.now() - started > maxStartMs) {
      await running.disposeAsync()
      throw new Error(`Trino did not start: ${output}`)
    }
    await sleep(500)
  }
  return { url, folder, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

async function configure(root: string, folder: string, port: number): Promise<void> {
  await mkdir(join(root, 'etc', 'catalog'), { recursive: true })
  await mkdir(join(folder, 'metastore'), { recursive: true })
  const properties = (lines: Readonly<Record<string, string>>) =>
    Object.entries(lines)
      .map(([name, value]) => `${name}=${value}\n`)
      .join('')
  await writeFile(
    join(root, 'etc', 'config.properties'),
    properties({
      coordinator: 'true',
      'node-scheduler.include-coordinator': 'true',
      'http-server.http.port': String(port),
      'discovery.uri': `http://127.0.0.1:${port}`,
      // The statement of a search at the limits has a quarter of a megabyte.
      'query.max-length': '1000000',
    }),
  )
  await writeFile(
    join(root, 'etc', 'catalog', `${catalog}.properties`),
    properties({
      'connector.name': 'hive',
      'hive.metastore': 'file',
      'hive.metastore.catalog.dir': 'local:///metastore',
      'hive.non-managed-table-writes-enabled': 'true',
      // The functions that searches use (core/search/statement.ts).
      'hive.compression-codec': 'SNAPPY',
      // A partition that is made up may have no folder, as in S3.
      'hive.partition-projection-enabled': 'true',
      'hive.ignore-absent-partitions': 'true',
      'fs.native-local.enabled': 'true',
      'local.location': folder,
    }),
  )
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new TypeError('the server has no port')
  return address.port
}

/** A server that answers may still lack nodes or the catalog, so run a query. */
async function isReady(url: string): Promise<boolean> {
  try {
    return (await runOnTrino(url, `SELECT count(*) FROM ${catalog}.information_schema.schemata`)).rows.length === 1
  } catch {
    return false
  }
}
