import { Aws, RemovalPolicy } from 'aws-cdk-lib'
import type { IResource, StageOptions } from 'aws-cdk-lib/aws-apigateway'
import {
  AccessLogField,
  AccessLogFormat,
  EndpointType,
  LambdaIntegration,
  LogGroupLogDestination,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import type { Route } from '../contract/routes.ts'
import { routes } from '../contract/routes.ts'
import { addGatewayErrors } from './gateway-errors.ts'
import type { Stage } from './stage.ts'

export interface ApiProps {
  readonly stage: Stage
}

/** The REST API: a route for each call of the contract, and one answer for everything else. */
export class Api extends Construct {
  readonly restApi: RestApi
  /** The address below which clients find `/v1`. */
  readonly publicBaseUrl: string

  constructor(scope: Construct, id: string, { stage }: ApiProps) {
    super(scope, id)
    this.restApi = new RestApi(this, 'RestApi', {
      // CloudWatch keeps an API's metrics by its name: two stages of one name would be added up.
      restApiName: `rate-search-${stage.name}`,
      description: `Searches over healthcare reimbursement rates (${stage.name})`,
      endpointTypes: [EndpointType.REGIONAL],
      cloudWatchRole: stage.accessLog === true,
      deployOptions: {
        stageName: stage.name,
        throttlingRateLimit: stage.throttle.requestsPerSecond,
        throttlingBurstLimit: stage.throttle.burst,
        // Metrics of each method would cost about $18 a month, and nothing reads them; those of the API come without.
        metricsEnabled: false,
        ...(stage.accessLog === true && this.accessLog()),
      },
    })
    addGatewayErrors(this.restApi)
    // Made from the API's id and not from its URL: the URL depends on the deployment, and that on the functions.
    const { region } = this.restApi.env
    this.publicBaseUrl = stage.publicBaseUrl
      .replaceAll('{apiId}', this.restApi.restApiId)
      .replaceAll('{region}', region)
      .replaceAll('{domain}', Aws.URL_SUFFIX)
      .replaceAll('{stage}', stage.name)
  }

  /** What the access log says of a request: who asked for what and how it went, never headers or bodies. */
  private accessLog(): StageOptions {
    const logs = new LogGroup(this, 'AccessLog', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    })
    const format = {
      request_id: AccessLogField.contextRequestId(),
      time: AccessLogField.contextRequestTimeEpoch(),
      method: AccessLogField.contextHttpMethod(),
      route: AccessLogField.contextResourcePath(),
      status: AccessLogField.contextStatus(),
      milliseconds: AccessLogField.contextResponseLatency(),
      bytes: AccessLogField.contextResponseLength(),
      error: AccessLogField.contextErrorResponseType(),
    }
    return {
      accessLogDestination: new LogGroupLogDestination(logs),
      accessLogFormat: AccessLogFormat.custom(JSON.stringify(format)),
    }
  }

  /** Routes every call of the contract to its function, and every other path or method to `notFound`. */
  route(functions: Readonly<Record<Route['operation'], IFunction>>, notFound: IFunction): void {
    const integrate = (target: IFunction) => new LambdaIntegration(target, { allowTestInvoke: false })
    const nothing = integrate(notFound)
    const resources = new Set<IResource>([this.restApi.root])
    for (const { method, path, operation } of routes) {
      let resource: IResource = this.restApi.root
      for (const part of path.slice(1).split('/')) {
        resource = resource.getResource(part) ?? resource.addResource(part)
        resources.add(resource)
      }
      resource.addMethod(method, integrate(functions[operation]))
    }
    // A REST API answers 403 for a path or method that it does not know; ours are 404 and 405.
    for (const resource of resources) resource.addMethod('ANY', nothing)
    this.restApi.root.addResource('{proxy+}').addMethod('ANY', nothing)
  }
}
