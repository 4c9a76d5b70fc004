import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { Architecture, Function as LambdaFunction, LoggingFormat, Runtime } from 'aws-cdk-lib/aws-lambda'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import type { Environment, Operation } from '../../lambdas/environment.ts'
import { functionCode } from './function-code.ts'

export interface ServiceFunctionProps<Name extends Operation> {
  /** The function's folder in `lambdas/`. */
  readonly operation: Name
  /** All environment variables of the function; a missing one does not compile. */
  readonly environment: Environment<Name>
  /** For a function whose role other resources refer to. @default - a new role */
  readonly role?: FunctionRole
  /** @default 10 seconds */
  readonly timeout?: Duration
  /** In MiB; CPU time is proportional to it. @default 512 */
  readonly memorySize?: number
  /** Queue for events that the function could not handle; for functions invoked by events. @default - none */
  readonly deadLetters?: IQueue
}

/** A function's role. It starts without permissions; the function grants access to its log. */
export class FunctionRole extends Role {
  constructor(scope: Construct, id: string) {
    super(scope, id, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
  }
}

/** A Lambda function with its own role, log group and bundle. */
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
      // A running workflow keeps calling the versions that it started with, so old versions outlive a deployment. The
      // version of a rolled-back deployment must be deleted: Lambda publishes no second version of the same code, so
      // every retry would fail.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
      ...(deadLetters !== undefined && { deadLetterQueue: deadLetters }),
    })
    logGroup.grantWrite(role)
  }

  /** The current version of the function, which a running workflow keeps calling after later deployments. */
  get pinned(): IFunction {
    // CDK's types for a version only differ from `IFunction` in `role?: IRole | undefined`.
    return this.currentVersion as IFunction
  }
}
