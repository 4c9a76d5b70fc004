import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { Architecture, Function as LambdaFunction, LoggingFormat, Runtime } from 'aws-cdk-lib/aws-lambda'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import type { Environment, Operation } from '../lambdas/environment.ts'
import { functionCode } from './function-code.ts'

export interface ServiceFunctionProps<Name extends Operation> {
  /** The folder in `lambdas/` that the function runs. */
  readonly operation: Name
  /** Every variable that the function reads: one that is missing does not compile. */
  readonly environment: Environment<Name>
  /** For a function that others must name before it exists. @default - a role of its own */
  readonly role?: FunctionRole
  /** @default 10 seconds */
  readonly timeout?: Duration
  /** In MiB; processor time grows with it. @default 512 */
  readonly memorySize?: number
  /** Where events go that the function could not handle; for one that is called by events. @default - nowhere */
  readonly deadLetters?: IQueue
}

/** A function's role. It begins with no rights at all: the function's log is granted by itself. */
export class FunctionRole extends Role {
  constructor(scope: Construct, id: string) {
    super(scope, id, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
  }
}

/** One Lambda function with a role, a log group and a bundle of its own. */
export class ServiceFunction<Name extends Operation> extends LambdaFunction {
  constructor(scope: Construct, id: string, props: ServiceFunctionProps<Name>) {
    const { operation, environment, deadLetters } = props
    const { role = new FunctionRole(scope, `${id}Role`), timeout = Duration.seconds(10), memorySize = 512 } = props
    const logGroup = new LogGroup(scope, `${id}Logs`, {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    })
    super(scope, id, {
      description: `rate search: ${operation}`,
      code: functionCode(operation),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      timeout,
      memorySize,
      role,
      logGroup,
      environment: { ...environment },
      loggingFormat: LoggingFormat.JSON,
      // A running workflow ends on the version that it began with, so old versions outlive a deployment. The version of a
      // deployment that is rolled back must go: Lambda publishes no second one of the same code, and every retry would fail.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
      ...(deadLetters !== undefined && { deadLetterQueue: deadLetters }),
    })
    logGroup.grantWrite(role)
  }

  /** This very code, whatever is deployed later: what a running workflow calls to its end. */
  get pinned(): IFunction {
    // A version is a function in every respect but one: CDK's types say `role?: IRole | undefined` of it.
    return this.currentVersion as IFunction
  }
}
