import { CfnFunction } from 'aws-cdk-lib/aws-lambda'
import type { IConstruct } from 'constructs'
import { allow } from './allow.ts'
import { ServiceFunction } from './service-function.ts'

/**
 * Lets X-Ray trace the functions below a construct. The rights have no resource-level permissions, and are those of the
 * managed policy `AWSXRayDaemonWriteAccess` that a function needs. Source: Lambda developer guide, "Visualize Lambda
 * function invocations using AWS X-Ray".
 */
export function traceFunctions(scope: IConstruct): void {
  for (const construct of scope.node.findAll()) {
    if (!(construct instanceof ServiceFunction)) continue
    const resource = construct.node.defaultChild
    if (!(resource instanceof CfnFunction)) throw new TypeError('a function is no longer a CfnFunction')
    resource.tracingConfig = { mode: 'Active' }
    allow(construct, ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], ['*'])
  }
}
