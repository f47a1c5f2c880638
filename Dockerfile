# Mailgrade as an image: `docker build -t mailgrade .`
#
# The tag of the base image moves with Node's patches. For a build that can be repeated, name its
# digest: docker build --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:… -t mailgrade .
ARG NODE_IMAGE=node:24-bookworm-slim

# What the compiler needs, and what it makes.
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src/ ./src/
RUN npm run build && rm dist/.tsbuildinfo

# What it needs to run, and nothing else. No package runs a script of its own (.npmrc). The one
# optional package is the compiler, for the types of a library.
FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional --no-audit --no-fund

FROM ${NODE_IMAGE} AS service
LABEL org.opencontainers.image.title="Mailgrade" \
      org.opencontainers.image.description="Tells whether a domain's email is safe from spoofing, and what to publish to make it so." \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production
WORKDIR /app
COPY --from=packages /app/node_modules/ ./node_modules/
COPY --from=build /app/dist/ ./dist/
# Read while it runs: pages and guides, and the zones from which the examples in the documents come.
COPY package.json ./
COPY public/ ./public/
COPY docs/ ./docs/
COPY zones/ ./zones/
# By number, so that Kubernetes can tell that it is not root. Everything above belongs to root: the
# process writes nothing, and the root file system may be read-only.
USER 1000:1000
# Callers; and Prometheus, where METRICS_PORT=9464 is set.
EXPOSE 3000 9464
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# In this form there is no shell in between: Node is process 1 and gets SIGTERM itself. It handles
# the signal and starts no other process, so that no init such as tini is needed.
CMD ["node", "dist/main.js"]
