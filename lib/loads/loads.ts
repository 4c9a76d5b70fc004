import { Duration } from 'aws-cdk-lib'
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { Role } from 'aws-cdk-lib/aws-iam'
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs'
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import { Construct } from 'constructs'
import type { LoadStep } from '../../schema/load-step.ts'
import { writeLoadWorker } from '../../schema/load-worker.ts'
import { metricsNamespace, plansLeftOut, stageDimension } from '../../schema/metrics.ts'
import { allow } from '../functions/allow.ts'
import { MonthLog } from '../functions/month-log.ts'
import type { ResourceUser } from '../functions/service-function.ts'
import type { ServiceParts } from '../service-parts.ts'
import type { LoadsSettings } from '../stage/loads-settings.ts'
import { bucketArn, objectsArn } from '../warehouse/warehouse-rights.ts'
import { addSchedules } from './add-schedules.ts'
import { grantPull } from './image-rights.ts'
import { LoadNetwork } from './load-network.ts'
import { LoadQueue } from './load-queue.ts'
import { LoadWorkflow } from './load-workflow.ts'
import { StepCode } from './step-code.ts'
import { StepJob, taskPrincipal } from './step-job.ts'

/** How long an attempt of a step may take: a file of 100 GB takes a worker about a day. */
const timeouts: Readonly<Record<LoadStep, Duration>> = {
  plan: Duration.days(1),
  work: Duration.days(13),
  finish: Duration.days(1),
}

/** Loads on AWS Batch: a network, a queue, a job definition for each step, and the workflow that runs them. */
export class Loads extends Construct {
  readonly stateMachine: StateMachine
  /** With a comma between them. */
  readonly queueArns: string
  /** JSON that commands read. */
  readonly workerSize: string
  /** Loads that failed, or could not be started. */
  readonly failures: readonly Metric[]
  /** Loads that started and succeeded, and those that did not. */
  readonly outcomes: readonly Metric[]

  constructor(
    scope: Construct,
    id: string,
    { stage, tables, warehouse }: Pick<ServiceParts, 'stage' | 'tables' | 'warehouse'>,
    settings: LoadsSettings,
  ) {
    super(scope, id)
    this.workerSize = writeLoadWorker(settings)
    const network = new LoadNetwork(this, 'Network')
    const queues = new LoadQueue(this, 'Queue', { network, settings })
    this.queueArns = [queues.work, queues.control].map(({ jobQueueArn }) => jobQueueArn).join()
    const code = new StepCode(this, 'Code')
    const logGroup = new MonthLog(this, 'Logs')
    new MetricFilter(this, 'PlansLeftOut', {
      logGroup,
      filterPattern: FilterPattern.numberValue('$.left_out', '>', 0),
      metricNamespace: metricsNamespace,
      metricName: plansLeftOut,
      metricValue: '$.left_out',
      dimensions: { [stageDimension]: '$.stage' },
    })
    // Starts containers and writes their logs; the program in a container cannot use it.
    const executionRole = new Role(this, 'ExecutionRole', { assumedBy: taskPrincipal() })
    grantPull(executionRole, settings.image)
    const { dataLocations, keyArns = [] } = warehouse
    const [location = ''] = dataLocations
    const objects = dataLocations.map(objectsArn)
    const variables = {
      ...{ RATES_LOCATION: location, STAGE_NAME: stage.name },
      ...(settings.clean && { CLEAN: String(settings.keepMonths) }),
    }
    const common = [
      tables.useContents('BatchGetItem', 'DeleteItem', 'PutItem', 'Query', 'UpdateItem'),
      (user: ResourceUser) => allow(user, ['s3:ListBucket'], [...new Set(dataLocations.map(bucketArn))]),
    ]
    // Source: Amazon S3 User Guide, "Multipart upload and permissions".
    const upload = (user: ResourceUser) => {
      allow(user, ['s3:PutObject', 's3:AbortMultipartUpload'], objects)
      allow(user, ['kms:Decrypt', 'kms:GenerateDataKey'], keyArns)
    }
    const clean = (user: ResourceUser) => allow(user, ['s3:DeleteObject'], objects)
    const readCatalogue = tables.useCatalogue('BatchGetItem', 'Query', 'Scan')
    const uses: Readonly<Record<LoadStep, readonly ((user: ResourceUser) => void)[]>> = {
      plan: [...common, readCatalogue],
      work: [...common, tables.nameCatalogue, upload],
      finish: [
        ...common,
        tables.useCatalogue('BatchGetItem', 'PutItem', 'Query', 'Scan'),
        upload,
        ...(settings.clean ? [tables.useCatalogue('DeleteItem'), tables.useContents('Scan'), clean] : []),
      ],
    }
    const makeJob = (step: LoadStep, jobId: string) =>
      new StepJob(this, jobId, {
        step,
        uses: uses[step],
        timeout: timeouts[step],
        ...{ code, settings, executionRole, logGroup, variables },
      })
    this.stateMachine = new LoadWorkflow(this, 'Workflow', {
      stageName: stage.name,
      queues,
      jobs: { plan: makeJob('plan', 'Plan'), work: makeJob('work', 'Work'), finish: makeJob('finish', 'Finish') },
    }).stateMachine
    this.failures = [
      this.stateMachine.metricFailed(),
      this.stateMachine.metricTimedOut(),
      ...addSchedules(this, settings.schedules, this.stateMachine),
    ]
    this.outcomes = [this.stateMachine.metricStarted(), this.stateMachine.metricSucceeded(), ...this.failures]
  }
}
