import { tableNames } from './dynamodb/service-tables.ts'
import type { LocalEnvironment, ObservedService, StackContext, StartContext } from './endpoint.ts'
import { type EndpointOptions, listEndpoints } from './endpoints.ts'
import type { RunningServer } from './http-server.ts'
import type { EarlyEnd, InvocationResult, Peers } from './peers.ts'
import type { CredentialBook } from './signing/credentials.ts'
import { readStackTemplate } from './stack-template.ts'
import { startEndpoints } from './start-endpoints.ts'
import { describeUser, type LocalStorage, type LockedFolder, lockFolder } from './storage.ts'

export interface LocalServiceOptions extends EndpointOptions {
  /** Everything that outlives the process: tables, objects, warehouse, keys, logs. Created if missing. */
  readonly dataFolder: string
  /** Synthesises the stack for the API's address, and returns the folder of the cloud assembly. */
  readonly synthesise: (publicBaseUrl: string) => Promise<string>
  /** Works on the storage while the stack is synthesised, which waits for another process. @default - nothing */
  readonly whileSynthesising?: (storage: LocalStorage) => Promise<void>
  readonly now: () => Date
  readonly newId: () => string
  /** Puts a server in front of an endpoint, to observe its calls. @default - none */
  readonly observe?: (service: ObservedService, url: string) => Promise<RunningServer>
}

/** Lifetime of the credentials of functions' roles, longer than any local run: ten years. */
const roleSeconds = 10 * 365 * 24 * 3600

/** The running service, with the storage that it works on. */
export interface LocalService extends LocalStorage {
  /** The API's URL, without a trailing slash. */
  readonly baseUrl: string
  /** Invokes a function by construct name, as an AWS event would. @throws TypeError if there is none */
  invoke(functionName: string, event: unknown): Promise<InvocationResult>
  /** Ends the environment that runs this invocation. */
  endInvocation(requestId: string, how: EarlyEnd): void
  close(): Promise<void>
}

/**
 * Runs the service locally: the bundles and workflow of the synthesised stack, over local endpoints for everything they
 * call.
 *
 * @throws PortInUse; PrintableError, such as FolderInUse if another process uses the data folder
 */
export async function startService(options: LocalServiceOptions): Promise<LocalService> {
  // Disposed of in reverse order, even if a later start fails.
  await using starting = new AsyncDisposableStack()
  const folder = starting.use(await lockFolder(options.dataFolder))
  const context = describeStart(options, folder, starting)
  const { startedEndpoints, environment } = await startEndpoints(
    listEndpoints(options, folder.tables),
    context,
    starting,
  )
  const peers = requirePeers(Object.assign({}, ...startedEndpoints.map((endpoint) => endpoint.peers)))
  const storage = { environment, tables: tableNames, warehouseFolder: folder.warehouseFolder }
  const [assembly] = await Promise.all([options.synthesise(peers.apiUrl), options.whileSynthesising?.(storage)])

  const stack: StackContext = {
    template: readStackTemplate(assembly, 'SearchService'),
    environment,
    peers,
    credentialsOf: (roleArn) => issueVariables(folder.credentials, roleArn, options.now()),
    work: starting.use(new AsyncDisposableStack()),
  }
  for (const endpoint of startedEndpoints) await endpoint.begin?.(stack)

  const running = starting.move()
  return {
    ...storage,
    baseUrl: peers.apiUrl,
    invoke: peers.functions.invokeByName,
    endInvocation: peers.functions.end,
    close: () => running.disposeAsync(),
  }
}

function describeStart(
  { dataFolder, now, newId, observe }: LocalServiceOptions,
  { warehouseFolder, credentials }: LockedFolder,
  running: AsyncDisposableStack,
): StartContext {
  return {
    dataFolder,
    warehouseFolder,
    credentials,
    now,
    newId,
    environment: describeUser(credentials.localUser),
    observe: async (service, url) => {
      if (observe === undefined) return url
      const front = running.adopt(await observe(service, url), (server) => server.close())
      return front.url
    },
  }
}

/** Checks that the list has an endpoint for each call. @throws TypeError */
function requirePeers({ apiUrl, functions, publish, runJob }: Partial<Peers>): Peers {
  if (apiUrl === undefined || functions === undefined || publish === undefined)
    throw new TypeError('the list of endpoints lacks API Gateway, Lambda or EventBridge')
  return { apiUrl, functions, publish, ...(runJob !== undefined && { runJob }) }
}

function issueVariables(credentials: CredentialBook, roleArn: string, now: Date): LocalEnvironment {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials.issue(roleArn, roleSeconds, now)
  return { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: sessionToken }
}
