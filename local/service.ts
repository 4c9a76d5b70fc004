import { mkdirSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { createApiGateway } from './api-gateway/endpoint.ts'
import { startAthena } from './athena/endpoint.ts'
import type { ResultStore } from './athena/unload.ts'
import { createTables } from './dynamodb/endpoint.ts'
import { tableNames } from './dynamodb/service-tables.ts'
import { startEventBridge } from './event-bridge/endpoint.ts'
import { openPendingEvents } from './event-bridge/pending-events.ts'
import { readEvents, type ServiceEvent } from './event-bridge/rules.ts'
import { listen, type RunningServer } from './http-server.ts'
import type { EarlyEnd } from './lambda/execution-environment.ts'
import { type FunctionDefinition, readFunctions } from './lambda/function-definition.ts'
import { type Invocation, startFunctions } from './lambda/functions.ts'
import type { InvocationResult } from './lambda/worker.ts'
import { readCorsRules } from './s3/cors.ts'
import { readListers } from './s3/listers.ts'
import { openObjectStore } from './s3/object-store.ts'
import type { TemporaryCredentials } from './signing/credentials.ts'
import { readStackTemplate, type StackTemplate } from './stack-template.ts'
import { startStepFunctions } from './step-functions/endpoint.ts'
import type { Execution } from './step-functions/executions.ts'
import { type RunJob, readStateMachines } from './step-functions/state-machine.ts'
import type { LocalEnvironment, LocalStorage, TableStorage } from './storage.ts'
import { claimTables, describeStorage, describeTables, serveObjects } from './storage.ts'
import { startSts } from './sts/endpoint.ts'

export interface LocalServiceOptions {
  /** Everything that outlives the process: tables, objects, warehouse, keys, logs. Created if missing. */
  readonly dataFolder: string
  /** The API's port; 0 picks a free one. */
  readonly port: number
  /** Synthesises the stack for the API's address, and returns the folder of the cloud assembly. */
  readonly synthesise: (publicBaseUrl: string) => Promise<string>
  /** Works on the tables and the warehouse while the stack is synthesised, which waits for another process. @default - nothing */
  readonly whileSynthesising?: (storage: TableStorage) => Promise<void>
  /** Connects Athena to S3, using the variables in `environment`. */
  readonly connectObjects: (environment: LocalEnvironment) => ResultStore
  /** Where Athena keeps results and manifests, `s3://bucket/prefix/`. */
  readonly queryResults: string
  readonly now: () => Date
  readonly newId: () => string
  /** Maximum number of result files per query. @default - the local Athena's */
  readonly filesPerQuery?: number
  /** Puts a server in front of an endpoint, to observe its calls. @default - none */
  readonly observe?: (service: ObservedService, url: string) => Promise<RunningServer>
  /** Called before every invocation. @default - none */
  readonly onInvocation?: (invocation: Invocation) => void
  /** Changes a function before it is started. @default - it is as in the template */
  readonly adjust?: (definition: FunctionDefinition) => FunctionDefinition
  /** Starts what runs the jobs of a stage with loads. @default - none: the stage of this machine has no loads */
  readonly startJobs?: (template: StackTemplate, surroundings: JobSurroundings) => Promise<RunningJobs>
}

/** What jobs find on this machine. */
export interface JobSurroundings {
  readonly dataFolder: string
  readonly warehouseFolder: string
  /** Region and endpoints. */
  readonly environment: LocalEnvironment
  readonly credentialsOf: (roleArn: string) => LocalEnvironment
}

export interface RunningJobs {
  /** Further SDK settings. */
  readonly environment: LocalEnvironment
  readonly run: RunJob
  close(): Promise<void>
}

/** The endpoints that functions call, named by the prefix of their actions in policies. */
export type ObservedService = 'athena' | 'dynamodb' | 'events' | 's3' | 'states' | 'sts'

/** The file below `logs/` with every event that functions sent, one a line, as rules get them. */
export const eventLog = 'events.jsonl'

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
  const { dataFolder, now, newId } = options
  // Closed in reverse order, also if a later start fails.
  const running = new AsyncDisposableStack()
  const keep = <Server extends { close(): Promise<void> }>(server: Server): Server =>
    running.adopt(server, (it) => it.close())
  const observe = async (service: ObservedService, server: RunningServer) =>
    options.observe === undefined ? server : keep(await options.observe(service, server.url))

  try {
    let front: RequestListener = (_, response) => response.writeHead(503).end()
    const { warehouseFolder, dynamo: tables } = await claimTables(dataFolder)
    const dynamo = await observe('dynamodb', keep(tables))
    const server = keep(await listen((request, response) => front(request, response), options.port, 5_000))
    await createTables(dynamo.url)
    const [assembly] = await Promise.all([
      options.synthesise(server.url),
      options.whileSynthesising?.(describeTables(dataFolder, dynamo, warehouseFolder)),
    ])
    const template = readStackTemplate(assembly, 'SearchService')
    createBuckets(join(dataFolder, 's3'), [
      ...template.ofType('AWS::S3::Bucket').map(({ id }) => template.text({ Ref: id })),
      options.queryResults.split('/')[2] ?? '',
    ])

    const { credentials, s3: storage } = await serveObjects(dataFolder, now, {
      corsRules: readCorsRules(template),
      listers: readListers(template),
    })
    const s3 = await observe('s3', keep(storage))
    const sts = await observe('sts', keep(await startSts({ credentials, now })))
    const partial = { ...describeStorage(credentials, dynamo, s3), AWS_ENDPOINT_URL_STS: sts.url }
    const objects = options.connectObjects(partial)
    const athena = await observe(
      'athena',
      keep(
        await startAthena({
          warehouseFolder,
          objects,
          scratchFolder: join(dataFolder, 'athena'),
          outputLocation: options.queryResults,
          now,
          newId,
          ...(options.filesPerQuery !== undefined && { filesPerQuery: options.filesPerQuery }),
        }),
      ),
    )

    // Functions and Step Functions call each other, so the endpoint starts first and its machines are added later.
    const stepFunctions = keep(
      await startStepFunctions({
        now,
        onEnd: (execution) => void events.publish(describeEnd(execution)).catch(() => {}),
      }),
    )
    mkdirSync(join(dataFolder, 'logs'), { recursive: true })
    const eventBridge = keep(
      await startEventBridge({
        file: join(dataFolder, 'logs', eventLog),
        now,
        newId,
        onEvent: (event) => pending.add(event.id, event),
      }),
    )
    const environment = {
      ...partial,
      AWS_ENDPOINT_URL_ATHENA: athena.url,
      AWS_ENDPOINT_URL_EVENTBRIDGE: (await observe('events', eventBridge)).url,
      AWS_ENDPOINT_URL_SFN: (await observe('states', stepFunctions)).url,
    }
    const credentialsOf = (roleArn: string) => describeCredentials(credentials.issue(roleArn, roleSeconds, now()))
    const surroundings = { dataFolder, warehouseFolder, environment, credentialsOf }
    const jobs = options.startJobs && keep(await options.startJobs(template, surroundings))
    const { adjust = (definition) => definition } = options
    const definitions = readFunctions(template, { environment, credentialsOf }).map(adjust)
    const functions = keep(startFunctions(definitions, join(dataFolder, 'logs'), options.onInvocation))
    const invoke = (arn: string, event: unknown) => functions.invoke(arn, event, newId())
    stepFunctions.serve(readStateMachines(template, invoke, jobs?.run))
    const events = keep(readEvents(template, invoke))
    const pending = keep(openPendingEvents(join(dataFolder, 'events'), events.publish, now))
    events.start()
    pending.start()
    // Stopped before the functions: running executions would treat their end as a crash and retry.
    running.defer(async () => stepFunctions.stopExecutions())
    front = createApiGateway({ template, functions, now, newRequestId: newId })

    return {
      baseUrl: server.url,
      environment: { ...environment, ...jobs?.environment },
      tables: tableNames,
      warehouseFolder,
      invoke: async (functionName, event) => {
        const definition = definitions.find(({ name }) => name === functionName)
        if (definition === undefined) throw new TypeError(`there is no function ${functionName}`)
        return invoke(definition.arn, event)
      },
      endInvocation: functions.end,
      close: () => running.disposeAsync(),
    }
  } catch (error) {
    await running.disposeAsync()
    throw error
  }
}

function describeCredentials({ accessKeyId, secretAccessKey, sessionToken }: TemporaryCredentials): LocalEnvironment {
  return { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: sessionToken }
}

function describeEnd(execution: Execution): ServiceEvent {
  const { output, error, cause, stopDate } = execution
  const detail = {
    ...execution,
    stopDate: stopDate ?? null,
    output: output ?? null,
    error: error ?? null,
    cause: cause ?? null,
    inputDetails: { included: true },
    outputDetails: output === undefined ? null : { included: true },
  }
  return { source: 'aws.states', detail }
}

function createBuckets(folder: string, buckets: readonly string[]): void {
  const store = openObjectStore(folder)
  for (const bucket of buckets) store.createBucket(bucket)
}
