# Sprout for one machine: docs/container.md says how to run it. Build it from a clean checkout: docker build -t sprout .

# A tag moves; a build that shall stay the same names the digest: --build-arg BASE=python:3.13-slim-trixie@sha256:…
ARG BASE=python:3.13-slim-trixie

FROM ${BASE} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore PYTHONUTF8=1
WORKDIR /src
RUN python3 -m venv /opt/sprout
# Wheels only, each with a hash of the lock: nothing is compiled, and nothing of a package runs while it is installed.
COPY requirements.lock ./
RUN /opt/sprout/bin/python -m pip install --no-input --require-hashes --no-deps --only-binary :all: -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY sprout sprout
COPY static static
RUN /opt/sprout/bin/python -m pip install --no-input --no-index --no-deps --no-build-isolation . \
    # What only building needs: a test compares the list with the lock.
    && /opt/sprout/bin/python -m pip uninstall --yes \
        editables hatchling pathspec pluggy tomlkit trove-classifiers pip

FROM ${BASE}
LABEL org.opencontainers.image.title="Sprout" \
    org.opencontainers.image.description="An open tutoring backend" \
    org.opencontainers.image.licenses="Apache-2.0"
# The base's own pip goes too: nothing can be installed where Sprout runs. Its standard library comes without bytecode,
# which a read-only container would make anew at each start and each health check.
RUN rm -rf /usr/local/bin/pip* /usr/local/lib/python3*/site-packages/pip* /usr/local/lib/python3*/ensurepip \
    && python3 -c "import compileall, sysconfig; compileall.compile_dir(sysconfig.get_path('stdlib'), quiet=2)" \
    && groupadd --gid 10001 sprout \
    && useradd --uid 10001 --gid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin sprout \
    && install --directory --owner 10001 --group 10001 --mode 0700 /data
COPY --from=build /opt/sprout /opt/sprout
# A container's server has to listen on every address, and refuses to until whoever runs it says how its port is published.
ENV PATH=/opt/sprout/bin:/usr/local/bin:/usr/bin:/bin \
    PYTHONUTF8=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    SPROUT_DATA_DIR=/data \
    SPROUT_LOG_FORMAT=json \
    SPROUT_HOST=0.0.0.0 \
    SPROUT_PORT=8000
# In numbers, so that an orchestrator can see that it is not root.
USER 10001:10001
WORKDIR /opt/sprout
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
# The start period is for four of them that start at once on a busy machine of two cores: that took 130 s.
HEALTHCHECK --interval=30s --timeout=6s --start-period=180s --retries=3 CMD ["python", "-I", "-c", "import http.client as h, sys; c = h.HTTPConnection('127.0.0.1', 8000, timeout=5); c.request('GET', '/healthz'); sys.exit(c.getresponse().status != 200)"]
# The server itself is process 1: no shell and no init between it and the signals.
ENTRYPOINT ["sprout"]
CMD ["serve"]
