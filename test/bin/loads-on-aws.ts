import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createS3Objects } from '../../adapters/s3/s3-objects.ts'
import { requireStage } from '../../lib/stage/stage-files.ts'
import { type LocalService, startService } from '../../local/service.ts'
import { openCredentialBook } from '../../local/signing/credentials.ts'
import { readStackTemplate } from '../../local/stack-template.ts'
import { layoutVersion } from '../../schema/columns/warehouse-tables.ts'
import { writeLoadWorker } from '../../schema/load-worker.ts'
import { startDeployedStacks } from '../doubles/deployed-stacks.ts'
import { startHttpStub } from '../doubles/http-stub.ts'
import { type RecordedCall, recordCalls } from '../least-privilege/call-recorder.ts'
import { type Right, readRights } from '../least-privilege/policies.ts'
import { batchEndpoint } from '../local/batch/endpoint.ts'
import { buildApp } from '../templates/build-app.ts'
import { loadedStage } from '../templates/templates.ts'

/** A service of this machine that commands take for the deployed stage `dev`, with loads on AWS Batch. */
export interface LoadsOnAws extends AsyncDisposable {
  readonly service: LocalService
  readonly dataFolder: string
  readonly environment: Readonly<Record<string, string>>
  /** Calls of the steps to endpoints that check rights on AWS. */
  readonly calls: readonly RecordedCall[]
  /** Actions that the template allows the roles of the steps. */
  readonly rights: readonly Right[]
  /** Starts an npm command on the stage. */
  start(command: string, ...args: readonly string[]): RunningCommand
  run(command: string, ...args: readonly string[]): Promise<Ended>
}

export interface Ended {
  readonly output: string
  readonly errors: string
  readonly exitCode: number | null
}

export interface RunningCommand {
  readonly ended: Promise<Ended>
  kill(signal: NodeJS.Signals): void
}

/**
 * Starts the service with the workflow of loads, whose jobs are processes of this machine.
 *
 * @param maxWorkers of the stage
 */
export async function startLoadsOnAws(maxWorkers = 4): Promise<LoadsOnAws> {
  const running = new AsyncDisposableStack()
  const dataFolder = mkdtempSync(join(tmpdir(), 'loads-on-aws-'))
  running.defer(async () => rmSync(dataFolder, { recursive: true, force: true, maxRetries: 5 }))
  const stage = { ...requireStage('local'), loads: { ...loadedStage.loads, maxWorkers, clean: true, schedules: [] } }
  const assembly = join(dataFolder, 'cdk.out')
  const calls: RecordedCall[] = []
  const service = await startService({
    observe: async (name, url) =>
      recordCalls(name, url, openCredentialBook(dataFolder).find, (call) => {
        if (call.role.startsWith('Loads')) calls.push(call)
      }),
    furtherEndpoints: [batchEndpoint],
    dataFolder,
    port: 0,
    synthesise: async (publicBaseUrl) => {
      buildApp({ ...stage, publicBaseUrl }, { outdir: assembly }).synth()
      return assembly
    },
    connectObjects: ({ AWS_ENDPOINT_URL_S3, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY }) =>
      createS3Objects({
        endpoint: AWS_ENDPOINT_URL_S3 ?? '',
        region: AWS_REGION ?? '',
        credentials: { accessKeyId: AWS_ACCESS_KEY_ID ?? '', secretAccessKey: AWS_SECRET_ACCESS_KEY ?? '' },
      }),
    queryResults: stage.warehouse?.queryResults ?? '',
    now: () => new Date(),
    newId: randomUUID,
  })
  running.defer(() => service.close())
  const template = readStackTemplate(assembly, 'SearchService')
  const machine = template.ofType('AWS::StepFunctions::StateMachine').find(({ id }) => id.startsWith('Loads'))
  const warehouse = { RatesLocation: 's3://rates/', RatesLayout: layoutVersion, DatabaseName: 'rates' }
  const stacks = await startDeployedStacks({
    'SearchService-dev': {
      CatalogueTable: service.tables.FeeSchedules,
      ContentsTable: service.tables.Contents,
      LoadsStateMachine: template.text({ Ref: machine?.id }),
      LoadsQueue: 'arn:aws:batch:us-east-1:000000000000:job-queue/loads',
      LoadsWorker: writeLoadWorker(stage.loads),
      ...warehouse,
    },
    'SearchService-prod': { CatalogueTable: 'none', ContentsTable: 'none', ...warehouse },
  })
  running.use(stacks)
  const quotas = await startHttpStub(() => ({ status: 200, body: JSON.stringify({ Quota: { Value: 3 } }) }))
  running.use(quotas)
  const environment = {
    ...service.environment,
    AWS_ENDPOINT_URL_CLOUDFORMATION: stacks.url,
    // Three vCPUs of Spot, and three On-Demand.
    AWS_ENDPOINT_URL_SERVICE_QUOTAS: quotas.url,
    http_proxy: '',
    HTTP_PROXY: '',
  }
  const start = (command: string, ...args: readonly string[]): RunningCommand => {
    const child = spawn(process.execPath, [`bin/${command}.ts`, ...args, '--data', join(dataFolder, 'own')], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
    })
    const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    return {
      ended: ended.then(([output, errors, [exitCode]]) => ({ output, errors, exitCode })),
      kill: (signal) => void child.kill(signal),
    }
  }
  return {
    service,
    dataFolder,
    environment,
    start,
    calls,
    rights: readRights(template).filter(({ role }) => /^Loads(Plan|Work|Finish)/.test(role)),
    run: (command, ...args) => start(command, ...args).ended,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}
