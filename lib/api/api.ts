import { Aws, Size } from 'aws-cdk-lib'
import type { DomainNameOptions, IResource, StageOptions } from 'aws-cdk-lib/aws-apigateway'
import {
  AccessLogField,
  AccessLogFormat,
  EndpointType,
  LambdaIntegration,
  LogGroupLogDestination,
  RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53'
import { ApiGateway } from 'aws-cdk-lib/aws-route53-targets'
import { Construct } from 'constructs'
import { mcpRoute } from '../../contract/mcp.ts'
import type { AnyRoute } from '../../contract/routes.ts'
import { MonthLog } from '../functions/month-log.ts'
import type { Use } from '../functions/service-function.ts'
import type { Stage } from '../stage/stage.ts'
import { addGatewayErrors } from './gateway-errors.ts'

type CustomDomain = NonNullable<Stage['customDomain']>

/** The REST API: one route per call of the contract, and a 404 or 405 for everything else. */
export class Api extends Construct {
  readonly restApi: RestApi
  /** The base URL of `/v1`. */
  readonly publicBaseUrl: string
  /** The origin of the page: the base URL without its path. */
  readonly origin: string
  /** Resources that have methods or child resources. */
  private readonly resources: Set<IResource>

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id)
    this.restApi = new RestApi(this, 'RestApi', {
      // CloudWatch aggregates API metrics by name, so the name must be unique per stage.
      restApiName: `rate-search-${stage.name}`,
      description: `Searches over healthcare reimbursement rates (${stage.name})`,
      endpointTypes: [EndpointType.REGIONAL],
      // With a custom domain, requests to the API's own address would bypass a firewall in front of the domain.
      disableExecuteApiEndpoint: stage.customDomain !== undefined,
      // Compression reduces the page to a quarter. Answers that fit into one packet are sent as they are.
      minCompressionSize: Size.bytes(1400),
      cloudWatchRole: stage.accessLog,
      deployOptions: {
        stageName: stage.name,
        throttlingRateLimit: stage.throttle.requestsPerSecond,
        throttlingBurstLimit: stage.throttle.burst,
        // Tools call the API in turn, and without a share of their own many of them would use up the throttle together.
        methodOptions: { [`${mcpRoute.path}/${mcpRoute.method}`]: shareOfAssistants(stage) },
        // Per-method metrics would cost about $18 a month and nothing reads them. Metrics of the whole API are free.
        metricsEnabled: false,
        ...(stage.tracing && { tracingEnabled: true }),
        ...(stage.accessLog && this.accessLog()),
      },
      ...(stage.customDomain && { domainName: this.domainOptions(stage.customDomain) }),
    })
    if (stage.customDomain?.hostedZone !== undefined)
      this.addDnsRecord(stage.customDomain.name, stage.customDomain.hostedZone)
    this.resources = new Set([this.restApi.root])
    addGatewayErrors(this.restApi)
    // Built from the API's id, because its URL depends on the deployment, which depends on the functions.
    const { region } = this.restApi.env
    const fillIn = (address: string) =>
      address
        .replaceAll('{apiId}', this.restApi.restApiId)
        .replaceAll('{region}', region)
        .replaceAll('{domain}', Aws.URL_SUFFIX)
        .replaceAll('{stage}', stage.name)
    this.publicBaseUrl = fillIn(stage.publicBaseUrl)
    this.origin = fillIn(stage.publicBaseUrl.replace(/^(https?:\/\/[^/]+).*$/, '$1'))
  }

  /** Lets a function build URLs that clients can call. */
  readonly buildUrls: Use = (user) => user.setVariables({ PUBLIC_BASE_URL: this.publicBaseUrl })

  private domainOptions({ name, certificateArn }: CustomDomain): DomainNameOptions {
    const certificate = Certificate.fromCertificateArn(this, 'Certificate', certificateArn)
    return {
      domainName: name,
      certificate,
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
    }
  }

  private addDnsRecord(recordName: string, { id, name }: NonNullable<CustomDomain['hostedZone']>): void {
    const zone = HostedZone.fromHostedZoneAttributes(this, 'Zone', { hostedZoneId: id, zoneName: name })
    new ARecord(this, 'DnsRecord', {
      zone,
      recordName: `${recordName}.`,
      target: RecordTarget.fromAlias(new ApiGateway(this.restApi)),
    })
  }

  /**
   * Describes the access log: who requested what, from where, and the outcome; never bodies. API Gateway does not know
   * keys. The function's log line with the same request id names the organization and the key.
   */
  private accessLog(): StageOptions {
    const format = {
      request_id: AccessLogField.contextRequestId(),
      time: AccessLogField.contextRequestTimeEpoch(),
      method: AccessLogField.contextHttpMethod(),
      route: AccessLogField.contextResourcePath(),
      status: AccessLogField.contextStatus(),
      milliseconds: AccessLogField.contextResponseLatency(),
      bytes: AccessLogField.contextResponseLength(),
      error: AccessLogField.contextErrorResponseType(),
      address: AccessLogField.contextIdentitySourceIp(),
      user_agent: AccessLogField.contextIdentityUserAgent(),
    }
    return {
      accessLogDestination: new LogGroupLogDestination(new MonthLog(this, 'AccessLog')),
      accessLogFormat: AccessLogFormat.custom(JSON.stringify(format)),
    }
  }

  /** Routes a method of a path to its function. */
  addRoute({ method, path }: Pick<AnyRoute, 'method' | 'path'>, call: IFunction): void {
    let resource: IResource = this.restApi.root
    for (const segment of path.split('/').filter((text) => text !== '')) {
      resource = resource.getResource(segment) ?? resource.addResource(segment)
      this.resources.add(resource)
    }
    resource.addMethod(method, integrate(call))
  }

  /**
   * Routes all other paths and methods to a function that answers 404 or 405; a REST API would answer 403. Called after
   * every call has its route.
   */
  routeEverythingElse(notFound: IFunction): void {
    const integration = integrate(notFound)
    for (const resource of this.resources) resource.addMethod('ANY', integration)
    this.restApi.root.addResource('{proxy+}').addMethod('ANY', integration)
  }
}

/** Most requests that a message of an assistant leads to, itself included, unless a search takes long. */
const requestsOfMessage = 8

/** Returns the throttle of messages: as many of them as the stage lets pass with all of their requests. */
const shareOfAssistants = ({ throttle }: Stage) => ({
  throttlingRateLimit: Math.ceil(throttle.requestsPerSecond / requestsOfMessage),
  throttlingBurstLimit: Math.ceil(throttle.burst / requestsOfMessage),
  metricsEnabled: false,
})

const integrate = (target: IFunction) => new LambdaIntegration(target, { allowTestInvoke: false })
