import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { at } from '../../../schema/at.ts'
import { catalog, runOnTrino } from '../run-on-trino.ts'
import { type ProcessGroup, startProcessGroup } from './process-group.ts'

/** A Trino of two nodes: a coordinator that also works, and a worker. */
export interface Trino extends AsyncDisposable {
  /** Address of the coordinator. */
  readonly url: string
}

export interface TrinoOptions {
  /** The unpacked `trino-server` (test/trino/install.sh). */
  readonly home: string
  /** The `java` executable; Trino 476 requires Java 24 or later. */
  readonly java: string
  /** Address of Glue and S3. */
  readonly awsUrl: string
  /** Empty folder for the nodes' settings and logs. */
  readonly folder: string
}

/** With one node, nothing is exchanged, and no node runs out of memory before the others. */
const nodeCount = 2

/** Longest start, in milliseconds; it takes ten seconds on an idle machine. */
const maxStartMs = 300_000

export async function startTrino(options: TrinoOptions): Promise<Trino> {
  const running = new AsyncDisposableStack()
  try {
    const ports = await findFreePorts(nodeCount)
    const url = `http://127.0.0.1:${at(ports, 0)}`
    const nodes: ProcessGroup[] = []
    for (const [index, port] of ports.entries()) {
      const root = join(options.folder, `node-${index}`)
      await writeSettings(root, describeNode(url, port, index === 0), describeCatalog(options.awsUrl))
      nodes.push(running.use(startNode(options, root, index)))
    }
    const started = Date.now()
    while (!(await isReady(url))) {
      const ended = nodes.find((node) => node.hasEnded())
      if (ended !== undefined || Date.now() - started > maxStartMs)
        throw new Error(`Trino did not start: ${(ended ?? at(nodes, 0)).lastOutput()}`)
      await sleep(500)
    }
    return { url, [Symbol.asyncDispose]: () => running.disposeAsync() }
  } catch (error) {
    await running.disposeAsync()
    throw error
  }
}

function startNode({ home, java }: TrinoOptions, root: string, index: number): ProcessGroup {
  return startProcessGroup(
    java,
    [
      '-Xmx1G',
      '-XX:+ExitOnOutOfMemoryError',
      '-Djdk.attach.allowAttachSelf=true',
      '--sun-misc-unsafe-memory-access=allow',
      '--enable-native-access=ALL-UNNAMED',
      `-Dnode.id=node-${index}`,
      '-Dnode.environment=test',
      `-Dnode.data-dir=${root}/data`,
      `-Dplugin.dir=${home}/plugin`,
      `-Dconfig=${root}/etc/config.properties`,
      `-Dcatalog.config-dir=${root}/etc/catalog`,
      ...['-cp', `${home}/lib/*`, 'io.trino.server.TrinoServer'],
    ],
    root,
  )
}

type Properties = Readonly<Record<string, string>>

async function writeSettings(root: string, node: Properties, ofCatalog: Properties): Promise<void> {
  const toText = (properties: Properties) =>
    Object.entries(properties)
      .map(([name, value]) => `${name}=${value}\n`)
      .join('')
  await mkdir(join(root, 'etc', 'catalog'), { recursive: true })
  await writeFile(join(root, 'etc', 'config.properties'), toText(node))
  await writeFile(join(root, 'etc', 'catalog', `${catalog}.properties`), toText(ofCatalog))
}

function describeNode(coordinator: string, port: number, isCoordinator: boolean): Properties {
  return {
    coordinator: String(isCoordinator),
    ...(isCoordinator && { 'node-scheduler.include-coordinator': 'true' }),
    'http-server.http.port': String(port),
    'discovery.uri': coordinator,
    // The statement of a search at the limits has a quarter of a megabyte.
    'query.max-length': '1000000',
    // Together with the headroom, which is 30 percent of the heap by default, this must fit into the heap of 1 GB.
    'query.max-memory-per-node': '600MB',
  }
}

function describeCatalog(awsUrl: string): Properties {
  return {
    'connector.name': 'hive',
    'hive.metastore': 'glue',
    'hive.metastore.glue.region': 'us-east-1',
    'hive.metastore.glue.endpoint-url': awsUrl,
    'hive.metastore.glue.aws-access-key': 'local',
    'hive.metastore.glue.aws-secret-key': 'local',
    'fs.native-s3.enabled': 'true',
    's3.endpoint': awsUrl,
    's3.region': 'us-east-1',
    's3.path-style-access': 'true',
    's3.aws-access-key': 'local',
    's3.aws-secret-key': 'local',
    // For tables that take the place of UNLOAD.
    'hive.non-managed-table-writes-enabled': 'true',
    'hive.compression-codec': 'SNAPPY',
    // A computed partition may have no folder.
    'hive.partition-projection-enabled': 'true',
    'hive.ignore-absent-partitions': 'true',
  }
}

/** Returns ports that were free at the same time, so that they differ. */
async function findFreePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const addresses = servers.map((server) => server.address())
  for (const server of servers) server.close()
  return addresses.map((address) => {
    if (address === null || typeof address === 'string') throw new TypeError('the server has no port')
    return address.port
  })
}

/** A coordinator that answers may still lack the worker or the catalog. */
async function isReady(url: string): Promise<boolean> {
  try {
    const { rows } = await runOnTrino(url, "SELECT node_id FROM system.runtime.nodes WHERE state = 'active'")
    if (rows.length < nodeCount) return false
    return (await runOnTrino(url, `SELECT count(*) FROM ${catalog}.information_schema.schemata`)).rows.length === 1
  } catch {
    return false
  }
}
