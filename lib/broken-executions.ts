import { Duration } from 'aws-cdk-lib'
import { EventField, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import { Construct } from 'constructs'

export interface BrokenExecutionsProps {
  readonly stateMachine: IStateMachine
  /** What ends the job of an execution that ended without ending it. */
  readonly recordFailure: IFunction
  /** Where events go that could not be delivered. */
  readonly deadLetters: IQueue
}

/**
 * Ends the jobs of executions that broke where no Catch could see it: timed out, aborted, or stopped by the engine.
 * Source: Step Functions developer guide, "Error names" (`States.Runtime` and `States.DataLimitExceeded` are not caught).
 */
export class BrokenExecutions extends Construct {
  constructor(scope: Construct, id: string, { stateMachine, recordFailure, deadLetters }: BrokenExecutionsProps) {
    super(scope, id)
    new Rule(this, 'Rule', {
      description: 'Executions that ended without ending their job',
      eventPattern: {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        detail: { stateMachineArn: [stateMachine.stateMachineArn], status: ['FAILED', 'TIMED_OUT', 'ABORTED'] },
      },
      targets: [
        new LambdaFunction(recordFailure, {
          // Of the event only this: its input names the job, and its cause may quote what a step was given.
          event: RuleTargetInput.fromObject({
            status: EventField.fromPath('$.detail.status'),
            input: EventField.fromPath('$.detail.input'),
          }),
          deadLetterQueue: deadLetters,
          maxEventAge: Duration.hours(2),
          retryAttempts: 10,
        }),
      ],
    })
  }
}
