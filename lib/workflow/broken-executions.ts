import { Duration } from 'aws-cdk-lib'
import { Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import { Construct } from 'constructs'

export interface BrokenExecutionsProps {
  readonly stateMachine: IStateMachine
  /** The function that fails the job of an execution that ended before its job. */
  readonly recordFailure: IFunction
  /** Queue for events that could not be delivered. */
  readonly deadLetters: IQueue
}

/**
 * Ends the jobs of executions that no Catch handles: timed out, aborted, or stopped by the engine. Source: Step
 * Functions developer guide, "Error names" (`States.Runtime` and `States.DataLimitExceeded` are not caught).
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
          // Passed unchanged: the detail's `input` is JSON as text, and input templates do not escape its quotes.
          // Source: EventBridge user guide, "Common issues with transforming input".
          event: RuleTargetInput.fromEventPath('$.detail'),
          deadLetterQueue: deadLetters,
          maxEventAge: Duration.hours(2),
          retryAttempts: 10,
        }),
      ],
    })
  }
}
