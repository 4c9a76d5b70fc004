import { Duration } from 'aws-cdk-lib'
import type { Chain, TaskStateBase } from 'aws-cdk-lib/aws-stepfunctions'
import {
  Choice,
  Condition,
  DefinitionBody,
  Errors,
  Fail,
  JitterType,
  JsonPath,
  LogLevel,
  StateMachine,
  Succeed,
  Wait,
  WaitTime,
} from 'aws-cdk-lib/aws-stepfunctions'
import { LambdaInvoke } from 'aws-cdk-lib/aws-stepfunctions-tasks'
import { Construct } from 'constructs'
import type { NextStep } from '../../schema/workflow-step.ts'
import { allow } from '../functions/allow.ts'
import { MonthLog } from '../functions/month-log.ts'
import type { ServiceFunction, Use } from '../functions/service-function.ts'
import type { Steps } from './steps.ts'

/**
 * A function that runs as a step. Executions call the version that was deployed when they started, also after upgrades.
 */
type StepFunction = Pick<ServiceFunction, 'functionArn' | 'pinned'>

export interface WorkflowProps {
  /** Name of the stage, which is part of the name of the log group. */
  readonly stageName: string
  /** The functions that the states call. */
  readonly steps: Readonly<Record<keyof Steps, StepFunction>>
  /** Function that runs if a fee schedule is missing from the catalogue. @default - no step asks for it */
  readonly refreshFeeSchedules?: StepFunction | undefined
  /** True if no function runs between two looks at a query, because the account has few concurrent functions. */
  readonly fewFunctions: boolean
  /** True if X-Ray traces executions. */
  readonly tracing: boolean
  /** Longest time for a job, including waits. */
  readonly maxDuration: Duration
}

/**
 * Added to the job's limits, so that the sweeper ends an overdue job with a helpful message before the execution times
 * out.
 */
const sweeperMargin = Duration.minutes(10)

/**
 * Pause between two looks at a query while no function watches it. An execution has at most 25,000 events, and a look
 * takes nine, so it can wait for eleven hours: Athena ends a query after four at most.
 */
const lookPause = Duration.seconds(15)

/** Errors of Lambda itself. The step may or may not have run, and every step is safe to repeat. */
const lambdaFaults = [
  'Lambda.ServiceException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  'Lambda.ClientExecutionTimeoutException',
]

/**
 * Drives a job from queued to its end. The state is `{orgId, jobId, run}` and, under `step`, the result of the last
 * step, which names the next state. Unexpected errors are caught and recorded once.
 */
export class Workflow extends Construct {
  readonly stateMachine: StateMachine

  constructor(scope: Construct, id: string, props: WorkflowProps) {
    super(scope, id)
    const { steps, refreshFeeSchedules, fewFunctions } = props
    const startQuery = this.makeStep('StartQuery', steps.startQuery)
    const awaitQuery = this.makeStep('AwaitQuery', steps.awaitQuery)
    const publishResults = this.makeStep('PublishResults', steps.publishResults)
    const backOff = new Wait(this, 'BackOff', { time: WaitTime.secondsPath('$.step.waitSeconds') }).next(startQuery)
    const whatNext = new Choice(this, 'WhatNext')
      .when(isNext('await'), fewFunctions ? this.pauseBefore(awaitQuery) : awaitQuery)
      .when(isNext('publish'), publishResults)
      .when(isNext('retry'), backOff)
    if (refreshFeeSchedules !== undefined)
      whatNext.when(isNext('refresh'), this.makeRefresh(refreshFeeSchedules, startQuery))
    whatNext.otherwise(new Succeed(this, 'Done'))

    const recordFailure = this.makeStep('RecordFailure', steps.recordFailure, JsonPath.DISCARD)
    recordFailure.next(new Fail(this, 'Broken', { error: 'SearchBroke', cause: 'A step threw an unexpected error.' }))
    for (const step of [startQuery, awaitQuery, publishResults]) {
      step.addCatch(recordFailure, { errors: [Errors.ALL], resultPath: '$.error' })
      step.next(whatNext)
    }

    this.stateMachine = new StateMachine(this, 'Machine', {
      definitionBody: DefinitionBody.fromChainable(startQuery),
      timeout: props.maxDuration.plus(sweeperMargin),
      ...(props.tracing && { tracingEnabled: true }),
      logs: {
        level: LogLevel.ERROR,
        destination: new MonthLog(this, 'Logs', {
          // A log group with another prefix is added to a resource policy of the account, which is limited to 5,120
          // characters. Source: CloudWatch Logs user guide, "Enable logging from AWS services", log group resource
          // policy size limit.
          logGroupName: `/aws/vendedlogs/states/rate-search-${props.stageName}`,
        }),
      },
    })
    // The rights cover versions that an upgrade replaced, because running executions keep calling them.
    const targets = [...Object.values(steps), ...(refreshFeeSchedules === undefined ? [] : [refreshFeeSchedules])]
    const resources = targets.map(({ functionArn }) => `${functionArn}:*`)
    allow(this.stateMachine, ['lambda:InvokeFunction'], resources)
  }

  /** Starts the workflow of a search. */
  readonly startSearches: Use = (user) => {
    user.setVariables({ STATE_MACHINE_ARN: this.stateMachine.stateMachineArn })
    this.stateMachine.grantStartExecution(user)
  }

  /** Reads the state of a search's workflow, and starts the workflow again. */
  readonly restartSearches: Use = (user) => {
    this.startSearches(user)
    this.stateMachine.grantExecution(user, 'states:DescribeExecution')
  }

  /**
   * Makes the state of a refresh. A failed refresh does not fail the job: the start step uses the catalogue as it is.
   */
  private makeRefresh({ pinned }: StepFunction, startQuery: LambdaInvoke): Chain {
    const refresh = new LambdaInvoke(this, 'RefreshFeeSchedules', {
      lambdaFunction: pinned,
      payloadResponseOnly: true,
      retryOnServiceExceptions: false,
      resultPath: JsonPath.DISCARD,
    })
    refresh.addCatch(startQuery, { errors: [Errors.ALL], resultPath: JsonPath.DISCARD })
    return refresh.next(startQuery)
  }

  private pauseBefore(awaitQuery: LambdaInvoke): Chain {
    return new Wait(this, 'PauseBetweenLooks', { time: WaitTime.duration(lookPause) }).next(awaitQuery)
  }

  private makeStep(id: string, step: StepFunction, resultPath = '$.step'): LambdaInvoke {
    const task = new LambdaInvoke(this, id, {
      lambdaFunction: step.pinned,
      payloadResponseOnly: true,
      retryOnServiceExceptions: false,
      resultPath,
    })
    return addRetries(task)
  }
}

/** Retries throttling until the job's limits, and every other error a few times. */
function addRetries<Task extends TaskStateBase>(task: Task): Task {
  const backoff = { backoffRate: 2, jitterStrategy: JitterType.FULL }
  task.addRetry({
    ...backoff,
    errors: ['Lambda.TooManyRequestsException'],
    interval: Duration.seconds(1),
    maxDelay: Duration.seconds(30),
    maxAttempts: 25_000,
  })
  task.addRetry({
    ...backoff,
    errors: lambdaFaults,
    interval: Duration.seconds(2),
    maxDelay: Duration.seconds(60),
    maxAttempts: 8,
  })
  task.addRetry({ ...backoff, errors: [Errors.ALL], interval: Duration.seconds(2), maxAttempts: 3 })
  return task
}

const isNext = (next: NextStep['next']) => Condition.stringEquals('$.step.next', next)
