import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import { type IGrantable, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { Architecture, Function as LambdaFunction, LoggingFormat, Runtime } from 'aws-cdk-lib/aws-lambda'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import type { Construct, IConstruct } from 'constructs'
import type { VariableName } from '../../schema/environment.ts'
import type { FunctionName } from '../../schema/function-names.ts'
import { functionCode } from './function-code.ts'
import { MonthLog } from './month-log.ts'

/** A user of resources: a function, or a step of loads. */
export interface ResourceUser extends IGrantable, IConstruct {
  /** Sets variables that name a resource. */
  setVariables(values: Readonly<Partial<Record<VariableName, string | number>>>): void
}

/** Lets a function use a resource: grants the permissions, and sets the variables that name the resource. */
export type Use = (user: ServiceFunction) => void

export interface ServiceFunctionProps {
  /** Everything that the function may use, except its own log. */
  readonly uses: readonly Use[]
  /** @default 20 seconds: API Gateway gives up after 29 */
  readonly timeout?: Duration
  /** Memory in MiB; CPU time is proportional to it. @default 512 */
  readonly memorySize?: number
  /** Queue for events that the function could not handle. @default - none */
  readonly deadLetters?: IQueue
}

/** A Lambda function with its own role, log group and bundle. Its permissions are those of its uses. */
export class ServiceFunction extends LambdaFunction {
  /** @param name the function's folder in `lambdas/`; in Pascal case, its construct id */
  constructor(scope: Construct, name: FunctionName, props: ServiceFunctionProps) {
    const { uses, timeout = Duration.seconds(20), memorySize = 512, deadLetters } = props
    const id = pascalCase(name)
    const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
    const logGroup = new MonthLog(scope, `${id}Logs`)
    super(scope, id, {
      description: `rate search: ${name}`,
      code: functionCode(name),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      timeout,
      memorySize,
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      // A running workflow keeps calling the versions that it started with, so old versions outlive a deployment. The
      // version of a rolled-back deployment must be deleted: Lambda publishes no second version of the same code, so
      // every retry would fail.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
      ...(deadLetters !== undefined && { deadLetterQueue: deadLetters }),
    })
    logGroup.grantWrite(role)
    for (const use of uses) use(this)
  }

  /** Sets variables that the function reads with `readEnvironment`. */
  setVariables(values: Readonly<Partial<Record<VariableName, string | number>>>): void {
    for (const [name, value] of Object.entries(values)) this.addEnvironment(name, String(value))
  }

  /** The current version of the function, which a running workflow keeps calling after later deployments. */
  get pinned(): IFunction {
    // CDK's types for a version only differ from `IFunction` in `role?: IRole | undefined`.
    return this.currentVersion as IFunction
  }
}

/** Sets variables that belong to no resource. */
export function variables(values: Parameters<ServiceFunction['setVariables']>[0]): Use {
  return (user) => user.setVariables(values)
}

function pascalCase(name: FunctionName): string {
  return name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())
}
