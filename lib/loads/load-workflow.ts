import { Aws, Duration, Fn, Stack } from 'aws-cdk-lib'
import { CustomState, DefinitionBody, Errors, JsonPath, LogLevel, StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import { Construct } from 'constructs'
import type { LoadStep } from '../../schema/load-step.ts'
import { allow } from '../functions/allow.ts'
import { MonthLog } from '../functions/month-log.ts'
import type { LoadQueue } from './load-queue.ts'
import type { StepJob } from './step-job.ts'

export interface LoadWorkflowProps {
  readonly stageName: string
  readonly queues: Pick<LoadQueue, 'work' | 'control'>
  readonly jobs: Readonly<Record<LoadStep, StepJob>>
}

/** Fargate may end a job after 14 days. Source: AWS Batch API, SubmitJob. */
const maxDuration = Duration.days(14)

/** How long `plan` and `finish` may take with their retries, and waits for capacity of which Batch gives no reason. */
const maxControl = Duration.days(2)

/** Errors of AWS Batch itself: no job was submitted, or its state could not be read. */
const batchFaults = ['Batch', 'AWSBatch', 'Server', 'TooManyRequests', 'SdkClient'].map(
  (name) => `Batch.${name}Exception`,
)

/**
 * Drives a load: `plan`, then an array of workers, then `finish`, whatever happened to the workers. A dependency between
 * jobs of Batch is met only by a job that succeeded, so it could not do this (docs/adr/0018).
 *
 * Input: `{"loadId": "…", "workers": 20, "order": {}}`; `order` is what to load if the load's record does not say it.
 */
export class LoadWorkflow extends Construct {
  readonly stateMachine: StateMachine
  private readonly props: LoadWorkflowProps

  constructor(scope: Construct, id: string, props: LoadWorkflowProps) {
    super(scope, id)
    this.props = props
    const plan = this.makeTask('Plan', 'plan', { LOAD_ORDER: 'States.JsonToString($.order)' })
    const work = this.makeTask('Work', 'work')
    const finish = this.makeTask('Finish', 'finish')
    // What plan and workers did is in the items of the load: `finish` judges those, and records why a load failed.
    for (const task of [plan, work]) task.addCatch(finish, { errors: [Errors.ALL], resultPath: JsonPath.DISCARD })

    this.stateMachine = new StateMachine(this, 'Machine', {
      definitionBody: DefinitionBody.fromChainable(plan.next(work).next(finish)),
      timeout: maxDuration,
      logs: {
        level: LogLevel.ERROR,
        // The address of a table of contents may be in the order.
        includeExecutionData: false,
        // See lib/workflow/workflow.ts.
        destination: new MonthLog(this, 'Logs', {
          logGroupName: `/aws/vendedlogs/states/rate-search-loads-${props.stageName}`,
        }),
      },
    })
    this.allowJobs(props)
  }

  /**
   * Source: Step Functions developer guide, "IAM policies for calling AWS Batch"; DescribeJobs has no resource-level
   * permissions, and executions go on with the revisions of definitions that they started with.
   */
  private allowJobs({ queues, jobs }: LoadWorkflowProps): void {
    const arnOf = (service: string, resource: string) => Stack.of(this).formatArn({ service, resource })
    const definitions = Object.values(jobs).map(({ definition: { jobDefinitionArn } }) => {
      const name = Fn.select(0, Fn.split(':', Fn.select(1, Fn.split('/', jobDefinitionArn))))
      return arnOf('batch', `job-definition/${name}:*`)
    })
    const queueArns = [queues.work, queues.control].map(({ jobQueueArn }) => jobQueueArn)
    const { stateMachine } = this
    allow(stateMachine, ['batch:SubmitJob'], [...definitions, ...queueArns])
    allow(stateMachine, ['batch:DescribeJobs'], ['*'])
    allow(stateMachine, ['batch:TerminateJob'], [arnOf('batch', 'job/*')])
    const rule = arnOf('events', 'rule/StepFunctionsGetEventsForBatchJobsRule')
    allow(stateMachine, ['events:PutTargets', 'events:PutRule', 'events:DescribeRule'], [rule])
  }

  /**
   * Not the CDK's task, which drops the timeout and allows all definitions of jobs.
   *
   * @param variables of the container, as expressions
   */
  private makeTask(id: string, step: LoadStep, variables: Readonly<Record<string, string>> = {}): CustomState {
    const { queues, jobs } = this.props
    const isWork = step === 'work'
    const given = Object.entries({ LOAD_ID: '$.loadId', ...variables })
    const task = new CustomState(this, id, {
      stateJson: {
        Type: 'Task',
        Resource: `arn:${Aws.PARTITION}:states:::batch:submitJob.sync`,
        Parameters: {
          'JobName.$': `States.Format('load-{}-${step}', $.loadId)`,
          JobDefinition: jobs[step].definition.jobDefinitionArn,
          JobQueue: queues[isWork ? 'work' : 'control'].jobQueueArn,
          ContainerOverrides: { Environment: given.map(([Name, value]) => ({ Name, 'Value.$': value })) },
          ...(isWork && { ArrayProperties: { 'Size.$': '$.workers' } }),
        },
        ResultPath: null,
        ...(!isWork && { TimeoutSeconds: maxControl.toSeconds() }),
      },
    })
    task.addRetry({ errors: batchFaults, interval: Duration.seconds(5), backoffRate: 2, maxAttempts: 6 })
    return task
  }
}
