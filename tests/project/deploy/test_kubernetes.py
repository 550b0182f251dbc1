"""The Kubernetes manifests: valid by the API, without rights, and consistent with each other and with Sprout."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from scripts.check_manifests import FOLDER, KUSTOMIZATION, manifest_problems, problems
from tests.project.deploy.settings_names import unknown_settings

MANIFESTS = [
    manifest
    for path in sorted(FOLDER.glob("*.yaml"))
    if path.name != KUSTOMIZATION
    for manifest in yaml.safe_load_all(path.read_text())
]
KUSTOMIZED = yaml.safe_load((FOLDER / KUSTOMIZATION).read_text())
SETTINGS = dict(line.split("=", 1) for line in KUSTOMIZED["configMapGenerator"][0]["literals"])


def of_kind(kind: str) -> list[dict[str, Any]]:
    return [manifest for manifest in MANIFESTS if manifest["kind"] == kind]


def pods() -> Iterator[dict[str, Any]]:
    for manifest in of_kind("Deployment") + of_kind("Job"):
        yield manifest["spec"]["template"]


def test_X7_the_manifests_are_what_the_api_takes() -> None:
    assert list(problems(FOLDER)) == []


@pytest.mark.parametrize(
    ("kind", "change", "problem"),
    [
        ("Deployment", ("spec", "replica", 2), "'replica' was unexpected"),
        ("Service", ("spec", "ports", "80"), "spec.ports"),
        ("HorizontalPodAutoscaler", ("spec", "maxReplicas", "many"), "spec.maxReplicas"),
        ("Job", ("spec", "backoffLimit", "ten"), "spec.backoffLimit"),
    ],
)
def test_a_mistake_in_a_manifest_is_found(kind: str, change: tuple[str, str, Any], problem: str) -> None:
    manifest = json.loads(json.dumps(of_kind(kind)[0]))
    part, field, value = change
    manifest[part][field] = value
    assert any(problem in found for found in manifest_problems(manifest))


def test_a_kind_that_is_not_in_the_extract_is_a_mistake_not_a_pass() -> None:
    (problem,) = manifest_problems({"apiVersion": "apps/v1beta1", "kind": "Deployment"})
    assert "apps/v1beta1 Deployment: not among the kinds" in problem


def test_a_file_that_the_kustomization_does_not_name_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "kubernetes"
    shutil.copytree(FOLDER, folder)
    (folder / "worker.yaml").rename(folder / "workers.yaml")
    assert list(problems(folder)) == [
        f"{KUSTOMIZATION}: does not name workers.yaml",
        f"{KUSTOMIZATION}: there is no worker.yaml",
    ]


def test_no_pod_has_rights() -> None:
    for pod in pods():
        assert pod["spec"]["automountServiceAccountToken"] is False
        assert pod["spec"]["securityContext"]["runAsNonRoot"] is True
        for container in pod["spec"]["containers"]:
            context = container["securityContext"]
            assert context["readOnlyRootFilesystem"] is True
            assert context["allowPrivilegeEscalation"] is False
            assert context["capabilities"] == {"drop": ["ALL"]}
            assert container["resources"]["limits"]["memory"]


def test_there_is_no_sign_in_so_that_only_the_proxy_reaches_the_pages() -> None:
    (service,) = of_kind("Service")
    assert service["spec"]["type"] == "ClusterIP"
    everyone, web = of_kind("NetworkPolicy")
    assert set(everyone["spec"]["policyTypes"]) == {"Ingress", "Egress"}
    (rule,) = web["spec"]["ingress"]
    assert rule["from"] == [{"podSelector": {"matchLabels": {"app.kubernetes.io/component": "proxy"}}}]


def test_what_selects_pods_selects_some() -> None:
    labels = [pod["metadata"]["labels"] for pod in pods()]
    selectors = [manifest["spec"]["selector"]["matchLabels"] for manifest in of_kind("PodDisruptionBudget")]
    selectors += [manifest["spec"]["selector"]["matchLabels"] for manifest in of_kind("Deployment")]
    selectors += [manifest["spec"]["podSelector"]["matchLabels"] for manifest in of_kind("NetworkPolicy")]
    selectors += [manifest["spec"]["selector"] for manifest in of_kind("Service")]
    for selector in selectors:
        assert any(selector.items() <= pod.items() for pod in labels)


def test_every_deployment_is_scaled_and_keeps_a_pod_through_a_drain() -> None:
    names = {manifest["metadata"]["name"] for manifest in of_kind("Deployment")}
    assert names == {"sprout-web", "sprout-worker"}
    assert {manifest["spec"]["scaleTargetRef"]["name"] for manifest in of_kind("HorizontalPodAutoscaler")} == names
    assert {manifest["metadata"]["name"] for manifest in of_kind("PodDisruptionBudget")} == names
    for manifest in of_kind("Deployment"):
        assert "replicas" not in manifest["spec"]  # an apply would undo what the autoscaler has decided
        assert manifest["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"] == 0
    for manifest in of_kind("HorizontalPodAutoscaler"):
        assert manifest["spec"]["minReplicas"] >= 2


def test_every_process_says_whether_it_lives_and_can_be_used() -> None:
    for manifest in of_kind("Deployment"):
        (container,) = manifest["spec"]["template"]["spec"]["containers"]
        paths = {name: container[f"{name}Probe"]["httpGet"]["path"] for name in ("startup", "readiness", "liveness")}
        assert paths == {"startup": "/healthz", "readiness": "/readyz", "liveness": "/healthz"}


def test_every_setting_exists() -> None:
    (secret,) = of_kind("Secret")
    assert unknown_settings(SETTINGS) == set()
    assert unknown_settings(secret["stringData"]) == set()
    assert {"DATABASE_URL", "REDIS_URL", "SPROUT_DOCUMENTS_URL"} <= secret["stringData"].keys()
